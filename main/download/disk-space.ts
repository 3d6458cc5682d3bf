import { statfs } from 'node:fs/promises';
import { TokenscopeError } from '../../shared/errors.ts';
import { bytes as inBytes } from '../../shared/units.ts';

/** Room to leave: the lock, directory entries, and whatever else the machine writes in the meantime. */
const RESERVE_BYTES = 16 * 1024 * 1024;

/** Bytes that a person without special rights may still write where the folder lies. */
export async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

/** Throws a `download` error where the disk cannot take so many bytes more. */
export function requireSpace(directory: string, needed: number, free: number): void {
  if (needed === 0 || free >= needed + RESERVE_BYTES) return;
  throw new TokenscopeError(
    'download',
    `the disk has ${inBytes(free)} free, ${inBytes(needed + RESERVE_BYTES)} are needed`,
    { path: directory, remedy: 'make room or name a folder on another disk' },
  );
}
