import { join } from 'node:path';
import { TokenscopeError } from '../shared/errors.ts';
import type { ModelFolder } from '../shared/model-folder.ts';
import { fileVersion, isSameVersion } from './file-version.ts';
import { hashFile } from './hash-cache.ts';

/**
 * Called once a model is loaded: throws a `model` error unless every file still is what was hashed. Otherwise the record
 * would name a model other than the one that ran.
 */
export async function checkLoaded(folder: ModelFolder): Promise<void> {
  for (const { path, version, sha256 } of folder.files) {
    const full = join(folder.directory, path);
    if (isSameVersion(version, await fileVersion(full))) continue;
    // Touched, linked or given other rights: the content decides.
    if ((await hashFile(full)) === sha256) continue;
    throw new TokenscopeError('model', `${path} changed while the model was loaded`, {
      path: folder.directory,
      remedy: 'start the run again once the folder is written',
    });
  }
}

/**
 * Called at the end of a run: which files were written over in their place, in words, or undefined. The runtime reads
 * weights from the file as it goes, so such a run is of no model that can be named. A file that was replaced or removed as
 * a whole is no such case: what was loaded stays what it was until the run lets go of it.
 */
export async function rewrittenSince(folder: ModelFolder): Promise<string | undefined> {
  const rewritten: string[] = [];
  for (const { path, version, sha256 } of folder.files) {
    // Settings and tokenizer have been read as a whole; weights are mapped.
    if (!path.startsWith('onnx/')) continue;
    const full = join(folder.directory, path);
    const now = await fileVersion(full);
    if (now === undefined || now.inode !== version.inode || isSameVersion(version, now)) continue;
    const content = now.size === version.size ? await hashFile(full).catch(() => undefined) : undefined;
    if (content !== sha256) rewritten.push(path);
  }
  if (rewritten.length === 0) return undefined;
  const were = rewritten.length === 1 ? 'was' : 'were';
  return `${rewritten.join(', ')} ${were} written over during the run, so what was measured may be of other weights`;
}
