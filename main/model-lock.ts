import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { messageOf, TokenscopeError } from '../shared/errors.ts';
import { modelFileSchema, type ModelFile } from '../shared/model-folder.ts';
import { unsafePath } from './download/safe-path.ts';
import { readBounded, writeFileAtomic } from './record-files.ts';

/** Written last of all: a folder is a downloaded model once it has this file. */
export const LOCK_FILE = 'model.lock.json';
/** Written before all: a folder that has this file and no lock is a download that was not finished. */
export const MARKER_FILE = 'model.download.json';
/** Behind the name of a file that has not arrived as a whole. */
export const PART_SUFFIX = '.part';

const MOST_BYTES = 1 << 20;

const safePathSchema = z.string().refine((path) => unsafePath(path) === undefined, 'is not a path inside the folder');
const revisionSchema = z.string().regex(/^[0-9a-f]{40}$/, 'is not a full commit hash');
const lockedFileSchema = modelFileSchema.extend({
  path: safePathSchema,
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'is not a sha256'),
});

const lockSchema = z.object({
  version: z.literal(1),
  repository: z.string().min(1),
  /** The full commit hash. */
  revision: revisionSchema,
  /** By the model's card; null where it names none. */
  license: z.string().nullable(),
  variant: z.string().min(1),
  graph: safePathSchema,
  files: z.array(lockedFileSchema).min(1),
  /** What wrote it. */
  tool: z.string(),
});
export type ModelLock = z.infer<typeof lockSchema>;

const markerSchema = z.object({
  version: z.literal(1),
  repository: z.string().min(1),
  revision: revisionSchema,
  /** The branch or hash that was asked for: it is not resolved again when the download goes on. */
  requested: z.string().min(1),
  variant: z.string().min(1),
  files: z.array(
    z.object({
      path: safePathSchema,
      bytes: z.int().nonnegative(),
      sha256: z.string().nullable(),
      blobSha1: z.string().nullable(),
    }),
  ),
});
export type DownloadMarker = z.infer<typeof markerSchema>;

/** The folder's lock, or undefined. Throws a `model` error for one that cannot be read. */
export function readLock(directory: string): Promise<ModelLock | undefined> {
  return read(directory, LOCK_FILE, lockSchema);
}

export async function writeLock(directory: string, lock: ModelLock): Promise<void> {
  await writeFileAtomic(join(directory, LOCK_FILE), `${JSON.stringify(lock, null, 2)}\n`, { force: true });
}

/** What an unfinished download was, or undefined. Throws a `model` error for a marker that cannot be read. */
export function readMarker(directory: string): Promise<DownloadMarker | undefined> {
  return read(directory, MARKER_FILE, markerSchema);
}

export async function writeMarker(directory: string, marker: DownloadMarker): Promise<void> {
  await writeFileAtomic(join(directory, MARKER_FILE), `${JSON.stringify(marker, null, 2)}\n`, { force: true });
}

async function read<T>(directory: string, name: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const path = join(directory, name);
  if ((await stat(path).catch(() => undefined)) === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(await readBounded(path, MOST_BYTES)));
  } catch (cause) {
    throw unreadable(path, cause instanceof TokenscopeError ? cause.message : `is not JSON: ${messageOf(cause)}`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw unreadable(path, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unknown form'}`);
}

function unreadable(path: string, reason: string): TokenscopeError {
  return new TokenscopeError('model', reason, { path, remedy: 'run the download again with --force' });
}

/** The command that brings a folder to what it should be. */
export function downloadCommand(
  directory: string,
  { repository, revision, variant }: { repository: string; revision: string; variant: string },
): string {
  return `tokenscope download --model ${repository} --revision ${revision} --variant ${variant} --destination ${quoted(directory)}`;
}

/** A path as it can be pasted into a shell. */
function quoted(path: string): string {
  return /^[\w@%+=:,./\\~-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

/** Throws a `model` error where a download was begun here and not finished: such a folder may hold half of a model. */
export async function refuseUnfinished(directory: string): Promise<void> {
  const names = [
    ...(await readdir(directory).catch(() => [])),
    ...(await readdir(join(directory, 'onnx')).catch(() => [])),
  ];
  const begun = names.includes(MARKER_FILE);
  if (!begun && !names.some((name) => name.endsWith(PART_SUFFIX))) return;
  const marker = await readMarker(directory).catch(() => undefined);
  throw new TokenscopeError('model', 'is an incomplete download', {
    path: directory,
    remedy: `run the download again${marker === undefined ? '' : `: ${commandToResume(directory, marker)}`}`,
  });
}

function commandToResume(directory: string, marker: DownloadMarker): string {
  return downloadCommand(directory, { ...marker, revision: marker.requested });
}

/** Holds presence and sizes against the lock: known at once, whatever the sizes are. Returns the first fault. */
export async function checkSizes(directory: string, lock: ModelLock): Promise<TokenscopeError | undefined> {
  for (const file of lock.files) {
    const found = await stat(join(directory, file.path)).catch(() => undefined);
    const problem = sizeProblem(file, found);
    if (problem !== undefined) return lockFault(directory, lock, file.path, problem);
  }
  return undefined;
}

export function sizeProblem(
  file: ModelFile,
  found: { isFile(): boolean; size: number | bigint } | undefined,
): string | undefined {
  if (found === undefined) return `is missing, ${LOCK_FILE} lists it with ${file.bytes} bytes`;
  if (!found.isFile()) return 'is not a file';
  return Number(found.size) === file.bytes ? undefined : `has ${found.size} bytes, ${LOCK_FILE} says ${file.bytes}`;
}

export function hashProblem(file: ModelFile, sha256: string): string | undefined {
  return sha256 === file.sha256 ? undefined : `has sha256 ${sha256}, ${LOCK_FILE} says ${file.sha256}`;
}

export function lockFault(directory: string, lock: ModelLock, path: string, problem: string): TokenscopeError {
  return new TokenscopeError('model', problem, {
    path: join(directory, path),
    remedy: `get it again: ${downloadCommand(directory, lock)}`,
  });
}
