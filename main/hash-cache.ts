import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { messageOf, TokenscopeError } from '../shared/errors.ts';
import { fileVersionSchema } from '../shared/model-folder.ts';
import { fileVersion, isSameVersion } from './file-version.ts';
import { readBounded, writeFileAtomic } from './record-files.ts';

const MOST_BYTES = 4 << 20;
/** More than the files of any list of models; the oldest go first. */
const MOST_ENTRIES = 2000;
/**
 * A file that was written so shortly before it was hashed may be written again without its times changing, where the file
 * system counts in coarse steps (2 s on FAT). Its hash is not kept.
 */
const SETTLING_MS = 3000;

const entrySchema = fileVersionSchema.extend({ sha256: z.string().regex(/^[0-9a-f]{64}$/) });
const cacheSchema = z.object({ version: z.literal(1), files: z.record(z.string(), entrySchema) });
type Entry = z.infer<typeof entrySchema>;

/**
 * SHA-256 of files that have not changed since they were hashed, so that a model of gigabytes is not read before every run.
 *
 * A hash is taken from here only if the file's version is what it was. What passes unseen is a disk that loses bits by itself, and somebody who can write this cache: the first is what
 * `verify --hashes` is for, which never asks the cache, and the second could rewrite model and lock as well.
 */
export class HashCache {
  readonly #path: string;
  readonly #date: () => number;
  #entries: Promise<Map<string, Entry>> | undefined;
  #added = new Map<string, Entry>();

  constructor(path: string, date: () => number = Date.now) {
    this.#path = path;
    this.#date = date;
  }

  /** The hash of the file as it is now, if it is known. */
  async get(path: string): Promise<string | undefined> {
    const key = await realpath(path);
    const entry = this.#added.get(key) ?? (await this.#read()).get(key);
    if (entry === undefined) return undefined;
    return isSameVersion(entry, await fileVersion(path)) ? entry.sha256 : undefined;
  }

  /** Hashes the whole file and remembers it. Throws a `model` error for a file that cannot be read or that changes. */
  async hash(path: string, onBytes: (bytes: number) => void = () => undefined): Promise<string> {
    const before = await fileVersion(path);
    const sha256 = await hashFile(path, onBytes);
    const after = await fileVersion(path);
    if (after === undefined || !isSameVersion(before, after)) {
      throw new TokenscopeError('model', 'changed while it was read', { path, remedy: 'try again when it is written' });
    }
    const written = Math.max(Number(after.mtime), Number(after.ctime)) / 1e6;
    if (this.#date() - written > SETTLING_MS) this.#added.set(await realpath(path), { ...after, sha256 });
    return sha256;
  }

  /** Writes what is new. A cache that cannot be written costs time and nothing else. */
  async save(): Promise<void> {
    if (this.#added.size === 0) return;
    // Another process may have added to it in the meantime.
    this.#entries = undefined;
    const all = [...(await this.#read()), ...this.#added].slice(-MOST_ENTRIES);
    const text = JSON.stringify({ version: 1, files: Object.fromEntries(all) });
    await mkdir(dirname(this.#path), { recursive: true })
      .then(() => writeFileAtomic(this.#path, `${text}\n`, { force: true }))
      .catch(() => undefined);
  }

  #read(): Promise<Map<string, Entry>> {
    this.#entries ??= readBounded(this.#path, MOST_BYTES).then(
      (bytes) => parse(new TextDecoder().decode(bytes)),
      () => new Map<string, Entry>(),
    );
    return this.#entries;
  }
}

/** The cache of this machine's user, in the application's data directory. */
export function hashCacheIn(dataDirectory: string): HashCache {
  return new HashCache(join(dataDirectory, 'model-hashes.json'));
}

/** SHA-256 of a whole file. Throws a `model` error if it cannot be read. */
export async function hashFile(path: string, onBytes: (bytes: number) => void = () => undefined): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const block of createReadStream(path, { highWaterMark: 1 << 20 })) {
      if (!(block instanceof Uint8Array)) continue;
      hash.update(block);
      onBytes(block.length);
    }
  } catch (cause) {
    // What the listener throws, to end it, is not about the file.
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause;
    throw new TokenscopeError('model', `cannot be read: ${messageOf(cause)}`, { path });
  }
  return hash.digest('hex');
}

function parse(text: string): Map<string, Entry> {
  try {
    const parsed = cacheSchema.safeParse(JSON.parse(text));
    return new Map(Object.entries(parsed.data?.files ?? {}));
  } catch {
    return new Map();
  }
}
