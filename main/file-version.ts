import { stat } from 'node:fs/promises';
import type { FileVersion } from '../shared/model-folder.ts';

/**
 * Tells one content of a file from another, as far as the file system knows without reading it. Replacing, editing or
 * truncating a file changes at least one of the four; the time of change cannot be set back without setting back the
 * system's clock. Undefined: there is no such file, or its folder may not be read.
 */
export async function fileVersion(path: string): Promise<FileVersion | undefined> {
  const stats = await stat(path, { bigint: true }).catch(() => undefined);
  if (stats === undefined) return undefined;
  const { ino, size, mtimeNs, ctimeNs } = stats;
  return { inode: String(ino), size: String(size), mtime: String(mtimeNs), ctime: String(ctimeNs) };
}

export function isSameVersion(a: FileVersion | undefined, b: FileVersion | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.inode === b.inode && a.size === b.size && a.mtime === b.mtime && a.ctime === b.ctime;
}
