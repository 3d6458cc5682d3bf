import { constants, unlinkSync } from 'node:fs';
import { type FileHandle, copyFile, link, open, rename, rm } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { basename, dirname, join, resolve } from 'node:path';
import { messageOf, TokenscopeError } from '../shared/errors.ts';
import { JSON_REASONS } from '../shared/json-text.ts';
import { recordText } from '../shared/json-output.ts';
import { type RecordResult, parseRecord } from '../shared/parse-record.ts';
import type { TraceRecord } from '../shared/record.ts';
import { bytes as inBytes } from '../shared/units.ts';

/**
 * The largest record file that is opened. Its bytes, its text and its values are in memory at once, and the text must
 * fit into one JavaScript string of half a gigabyte even where every character takes two bytes.
 */
export const MAX_RECORD_BYTES = 256 * 1024 * 1024;

/** The file's bytes. Throws a TokenscopeError of code `file`, whose path is the file, with one clear sentence. */
export async function readBounded(path: string, maxBytes = MAX_RECORD_BYTES): Promise<Uint8Array> {
  let handle: FileHandle;
  try {
    // Without O_NONBLOCK opening a named pipe would wait for a writer for ever.
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw fileError(path, error, 'read');
  }
  try {
    const stats = await handle.stat();
    if (stats.isDirectory()) throw new TokenscopeError('file', 'this is a folder, not a file', { path });
    if (!stats.isFile()) throw new TokenscopeError('file', 'this is a device or a pipe, not a file', { path });
    if (stats.size > maxBytes) throw tooLarge(path, stats.size, maxBytes);
    return await readAtMost(handle, path, stats.size, maxBytes);
  } catch (error) {
    throw fileError(path, error, 'read');
  } finally {
    await handle.close();
  }
}

/** Reads to the end of the file, which may have grown since its size was taken, and stops beyond the bound. */
async function readAtMost(handle: FileHandle, path: string, size: number, maxBytes: number): Promise<Uint8Array> {
  let buffer = Buffer.allocUnsafeSlow(Math.min(size, maxBytes) + 1);
  let filled = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, filled);
    if (bytesRead === 0) return buffer.subarray(0, filled);
    filled += bytesRead;
    if (filled > maxBytes) throw tooLarge(path, filled, maxBytes);
    if (filled === buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(maxBytes, filled * 2) + 1);
      buffer.copy(larger, 0, 0, filled);
      buffer = larger;
    }
  }
}

function tooLarge(path: string, size: number, maxBytes: number): TokenscopeError {
  return new TokenscopeError('file', `the file has ${inBytes(size)}, a record at most ${inBytes(maxBytes)}`, { path });
}

/** Reads and parses a record file. Throws only for what is wrong with the file as such: missing, a folder, too large. */
export async function readRecordFile(path: string): Promise<RecordResult> {
  return parseRecord(await readRecordBytes(path), decodeUtf8);
}

/** The bytes of a record file, at least one. Errors as readRecordFile. */
export async function readRecordBytes(path: string): Promise<Uint8Array> {
  const bytes = await readBounded(path);
  if (bytes.length === 0) throw new TokenscopeError('file', JSON_REASONS.empty.toLowerCase(), { path });
  return bytes;
}

/** Strict, and without looking for a byte order mark: the reader has taken that off. */
export function decodeUtf8(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** Saves a record as its file's text. Errors as writeFileAtomic's, and `record` for a figure that JSON cannot hold. */
export async function writeRecordFile(
  path: string,
  record: TraceRecord,
  options: { readonly force: boolean },
): Promise<void> {
  await writeFileAtomic(path, recordText(record), options);
}

/**
 * Writes the whole file or nothing: into a file beside it, to the disk, then into its place. Without `force` a file
 * that is there is refused, also one that appears in the meantime. Throws a TokenscopeError of code `file`.
 *
 * write-file-atomic is not used here: it does not look at how much the system took of a write, so that on a full disk
 * it replaces the old file by the beginning of the new one and reports success; and it always replaces.
 */
export async function writeFileAtomic(
  path: string,
  content: string | Uint8Array,
  options: { readonly force: boolean },
): Promise<void> {
  const target = resolve(path);
  const temporary = join(dirname(target), `.${basename(target).slice(0, 200)}.${randomBytes(6).toString('hex')}.tmp`);
  const removeOnExit = (): void => {
    try {
      unlinkSync(temporary);
    } catch {
      // It has been moved into place.
    }
  };
  process.once('exit', removeOnExit);
  try {
    const handle = await open(temporary, 'wx');
    try {
      await handle.writeFile(content, 'utf8');
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (options.force) await rename(temporary, target);
    else await linkOrCopy(temporary, target);
  } catch (error) {
    throw fileError(path, error, 'write');
  } finally {
    process.removeListener('exit', removeOnExit);
    // If it cannot be removed either, the error above is the one to tell.
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}

/** A second name for the file: fails with EEXIST where there is one, in one step. Some file systems know no links. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(codeOf(error))) throw error;
    await copyFile(from, to, constants.COPYFILE_EXCL);
  }
}

/** The system's word for what went wrong, or nothing. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

const READ_PROBLEMS: { readonly [code: string]: string } = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file: a part of its path is not a folder',
  EISDIR: 'this is a folder, not a file',
  EACCES: 'no permission to read this file',
  EPERM: 'no permission to read this file',
  ENAMETOOLONG: 'the file name is too long',
  ELOOP: 'the symbolic link leads in a circle',
  EMFILE: 'too many files are open',
  ERR_INVALID_ARG_VALUE: 'this is not a file name',
};

const WRITE_PROBLEMS: { readonly [code: string]: string } = {
  ...READ_PROBLEMS,
  ENOENT: 'the folder to write into does not exist',
  ENOTDIR: 'the folder to write into is not a folder',
  EACCES: 'no permission to write here',
  EPERM: 'no permission to write here',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full, nothing was written',
  EDQUOT: 'the disk quota is used up, nothing was written',
  EEXIST: 'the file exists already',
};

/** Why something could not be written, in words that fit any path. */
export function writeProblem(error: unknown): string {
  return WRITE_PROBLEMS[codeOf(error)] ?? messageOf(error);
}

function fileError(path: string, error: unknown, action: 'read' | 'write'): TokenscopeError {
  if (error instanceof TokenscopeError) return error;
  const code = codeOf(error);
  const message =
    (action === 'read' ? READ_PROBLEMS : WRITE_PROBLEMS)[code] ??
    `cannot ${action} the file (${code || String(error)})`;
  const remedy = action === 'write' && code === 'EEXIST' ? { remedy: 'use --force to replace it' } : {};
  return new TokenscopeError('file', message, { path, cause: error, ...remedy });
}
