import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { TokenscopeError } from '../shared/errors.ts';
import type { ModelFile } from '../shared/model-folder.ts';
import { type HashCache, hashFile } from './hash-cache.ts';
import {
  hashProblem,
  LOCK_FILE,
  lockFault,
  type ModelLock,
  readLock,
  refuseUnfinished,
  sizeProblem,
} from './model-lock.ts';

export interface VerifiedFile extends ModelFile {
  /** What is wrong with it, or null. */
  problem: string | null;
  /** Whether its content was hashed, just now or, as it is unchanged, earlier. Without that only its size is known. */
  hashed: boolean;
}

export interface Verification {
  directory: string;
  lock: ModelLock;
  files: VerifiedFile[];
  /** The first fault as the error that loading would throw, or undefined. */
  fault: TokenscopeError | undefined;
}

export interface VerifyOptions {
  /** Reads every byte, whatever the cache says. Otherwise sizes alone, and hashes that are known of unchanged files. */
  hashes: boolean;
  cache?: HashCache;
  /** Called while files are read, with bytes done and in all. May throw to end it. */
  onBytes?: (done: number, total: number) => void;
}

/**
 * Holds a downloaded model against its lock. Throws a `model` error for a folder that has none; what is wrong with its files
 * is in the result.
 */
export async function verifyModel(folder: string, options: VerifyOptions): Promise<Verification> {
  const directory = resolve(folder);
  const lock = await readLock(directory);
  if (lock === undefined) {
    await refuseUnfinished(directory);
    throw new TokenscopeError('model', `has no ${LOCK_FILE}: there is nothing to hold its files against`, {
      path: directory,
      remedy: 'folders that "tokenscope download" wrote have one',
    });
  }
  const total = lock.files.reduce((sum, file) => sum + file.bytes, 0);
  let done = 0;
  const files: VerifiedFile[] = [];
  for (const file of lock.files) {
    files.push(
      await verifyFile(directory, file, options, (bytes) => {
        done += bytes;
        options.onBytes?.(done, total);
      }),
    );
  }
  await options.cache?.save();
  const wrong = files.find(({ problem }) => problem !== null);
  const fault = wrong === undefined ? undefined : lockFault(directory, lock, wrong.path, wrong.problem ?? '');
  return { directory, lock, files, fault };
}

async function verifyFile(
  directory: string,
  file: ModelFile,
  { hashes, cache }: VerifyOptions,
  onBytes: (bytes: number) => void,
): Promise<VerifiedFile> {
  const path = join(directory, file.path);
  const found = await stat(path).catch(() => undefined);
  const wrongSize = sizeProblem(file, found);
  if (wrongSize !== undefined) return { ...file, problem: wrongSize, hashed: false };
  const sha256 = hashes ? await (cache?.hash(path, onBytes) ?? hashFile(path, onBytes)) : await cache?.get(path);
  if (sha256 === undefined) return { ...file, problem: null, hashed: false };
  return { ...file, problem: hashProblem(file, sha256) ?? null, hashed: true };
}
