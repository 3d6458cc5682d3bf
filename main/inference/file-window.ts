import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { TokenscopeError } from '../../shared/errors.ts';

const WINDOW_BYTES = 256 * 1024;

/** Random access to a file of any size through one small buffer that slides along it. */
export class FileWindow {
  readonly path: string;
  readonly size: number;
  readonly #fd: number;
  readonly #buffer = new Uint8Array(WINDOW_BYTES);
  #start = 0;
  #filled = 0;

  /** Opens `path`. Throws a `file` error for anything that is not a readable regular file. */
  constructor(path: string) {
    this.path = path;
    try {
      // Asked before opening: a pipe without a writer would block the open for ever.
      const stat = statSync(path);
      if (!stat.isFile()) {
        throw new TokenscopeError('file', stat.isDirectory() ? 'is a folder, not a file' : 'is not a regular file', {
          path,
        });
      }
      this.size = stat.size;
      this.#fd = openSync(path, 'r');
    } catch (error) {
      if (error instanceof TokenscopeError) throw error;
      throw new TokenscopeError('file', openReason(error), { path, cause: error });
    }
  }

  /** The byte at `position`, which must lie inside the file. */
  byte(position: number): number {
    if (position < this.#start || position >= this.#start + this.#filled) this.#slideTo(position);
    return this.#buffer[position - this.#start] ?? 0;
  }

  /** A copy of `length` bytes from `position`. The caller bounds `length`. */
  bytes(position: number, length: number): Uint8Array<ArrayBuffer> {
    if (position >= this.#start && position + length <= this.#start + this.#filled) {
      return this.#buffer.slice(position - this.#start, position - this.#start + length);
    }
    const copy = new Uint8Array(length);
    let done = 0;
    while (done < length) {
      const read = readSync(this.#fd, copy, done, length - done, position + done);
      if (read === 0) throw this.#shrunk(position + done);
      done += read;
    }
    return copy;
  }

  close(): void {
    closeSync(this.#fd);
  }

  #slideTo(position: number): void {
    const read = readSync(this.#fd, this.#buffer, 0, WINDOW_BYTES, position);
    if (read === 0) throw this.#shrunk(position);
    this.#start = position;
    this.#filled = read;
  }

  #shrunk(position: number): TokenscopeError {
    return new TokenscopeError('file', `ended at byte ${position} while being read; it had ${this.size} bytes`, {
      path: this.path,
      remedy: 'another program may be writing it',
    });
  }
}

function openReason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'does not exist';
  if (code === 'EACCES' || code === 'EPERM') return 'may not be read: permission denied';
  return `cannot be opened: ${error instanceof Error ? error.message : String(error)}`;
}
