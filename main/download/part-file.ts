import { createHash, type Hash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { TokenscopeError } from '../../shared/errors.ts';
import type { WantedFile } from './hub-listing.ts';
import type { DownloadServices } from './services.ts';

export interface Digest {
  sha256: string;
  /** Git's hash of the content as a blob; null where nothing is known to hold it against. */
  blobSha1: string | null;
}

/** The hashes of a file by which it is checked. */
export class FileHash {
  readonly #sha256: Hash = createHash('sha256');
  readonly #blobSha1: Hash | null;

  constructor({ bytes, sha256, blobSha1 }: WantedFile) {
    // Git hashes a file behind its length: "blob 242\0" and the bytes. Gigabytes in LFS are spared a second hash.
    const checkedByGit = sha256 === null || blobSha1 !== null;
    this.#blobSha1 = checkedByGit ? createHash('sha1').update(`blob ${bytes}\0`) : null;
  }

  update(block: Uint8Array): void {
    this.#sha256.update(block);
    this.#blobSha1?.update(block);
  }

  digest(): Digest {
    return { sha256: this.#sha256.digest('hex'), blobSha1: this.#blobSha1?.digest('hex') ?? null };
  }
}

/** Reads a whole file into a hash. */
export async function hashInto(
  hash: FileHash,
  path: string,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<void> {
  for await (const block of createReadStream(path, { highWaterMark: 1 << 20 })) {
    if (!(block instanceof Uint8Array)) continue;
    signal.throwIfAborted();
    hash.update(block);
    onBytes(block.length);
  }
}

/** A file on its way: what has arrived, and the hash over it, which is never behind or ahead of the bytes. */
export class PartFile {
  readonly path: string;
  readonly #wanted: WantedFile;
  readonly #services: DownloadServices;
  readonly #file: FileHandle;
  #hash: FileHash;
  #length = 0;

  private constructor(path: string, wanted: WantedFile, services: DownloadServices, file: FileHandle) {
    this.path = path;
    this.#wanted = wanted;
    this.#services = services;
    this.#file = file;
    this.#hash = new FileHash(wanted);
  }

  /** Opens or creates it. What is there is read once, so that the hash goes on where the bytes do. */
  static async open(
    path: string,
    wanted: WantedFile,
    services: DownloadServices,
    signal: AbortSignal,
    onHashed: (bytes: number) => void,
  ): Promise<PartFile> {
    await mkdir(dirname(path), { recursive: true });
    // Never through a link, which would write somewhere else.
    const flags = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
    const file = await open(path, flags).catch((error: unknown) => {
      throw diskError(path, error);
    });
    const part = new PartFile(path, wanted, services, file);
    try {
      const { size } = await file.stat();
      if (size > wanted.bytes) await part.restart();
      else if (size > 0) {
        await hashInto(part.#hash, path, signal, onHashed);
        part.#length = size;
      }
      return part;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Bytes that have arrived. */
  get length(): number {
    return this.#length;
  }

  /** Appends, but never beyond the file's size. Throws a `file` error where the disk takes no more. */
  async append(block: Uint8Array): Promise<void> {
    const taken = block.subarray(0, this.#wanted.bytes - this.#length);
    for (let done = 0; done < taken.length; ) {
      try {
        // The system may take less than it was given, as a disk that becomes full does.
        const written = await this.#services.write(this.#file, taken.subarray(done), this.#length);
        this.#hash.update(taken.subarray(done, done + written));
        this.#length += written;
        done += written;
      } catch (error) {
        throw diskError(this.path, error);
      }
    }
  }

  /** Forgets what has arrived. */
  async restart(): Promise<void> {
    await this.#file.truncate(0);
    this.#hash = new FileHash(this.#wanted);
    this.#length = 0;
  }

  /** The hashes of a whole file. They can be asked for once. */
  digest(): Digest {
    return this.#hash.digest();
  }

  /** Brings the bytes to the disk and then the file to its name: under that name there is never half a file. */
  async finish(target: string): Promise<void> {
    try {
      await this.#file.sync();
      await this.#file.close();
      await rename(this.path, target);
    } catch (error) {
      throw diskError(target, error);
    }
  }

  async remove(): Promise<void> {
    await this.close();
    await rm(this.path, { force: true });
  }

  async close(): Promise<void> {
    await this.#file.close().catch(() => undefined);
  }
}

const DISK_PROBLEMS: { readonly [code: string]: string } = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'this disk takes no file of that size',
  EACCES: 'no permission to write here',
  EPERM: 'no permission to write here',
  EROFS: 'the disk is read-only',
  EIO: 'the disk reports an error',
  ELOOP: 'this is a symbolic link, and nothing is written through one',
  EISDIR: 'a folder is in the way',
  ENOTDIR: 'a file is in the way of the folder',
};

export function diskError(path: string, error: unknown): TokenscopeError {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  return new TokenscopeError('file', DISK_PROBLEMS[code] ?? `cannot be written (${code || String(error)})`, {
    path,
    remedy: 'what arrived is kept: settle this and run the download again',
    cause: error,
  });
}
