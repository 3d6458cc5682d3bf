import { rename } from 'node:fs/promises';
import { basename } from 'node:path';
import type { z } from 'zod';
import { reasonOf, TokenscopeError } from '../shared/errors.ts';
import { readBounded, writeFileAtomic } from './record-files.ts';

/** What the application remembers is small; a file beyond this is not ours. */
const MOST_BYTES = 8 << 20;

/** How a stored file tells of trouble: one sentence for a person. */
export type Notify = (message: string) => void;

/**
 * One small file of the data directory. Reading checks it against its schema; one that does not fit is set aside under
 * another name, the defaults take its place and a notice says so. Writes are atomic and in order, the last one wins.
 */
export class StoredJson<T> {
  readonly #path: string;
  readonly #schema: z.ZodType<T>;
  readonly #defaults: T;
  readonly #notify: Notify;
  #next: T | undefined;
  #writing: Promise<void> = Promise.resolve();
  #failing = false;

  constructor(path: string, schema: z.ZodType<T>, defaults: T, notify: Notify) {
    this.#path = path;
    this.#schema = schema;
    this.#defaults = defaults;
    this.#notify = notify;
  }

  /** `stamp` is part of the name that a bad file gets. */
  async read(stamp: string): Promise<T> {
    let bytes: Uint8Array;
    try {
      bytes = await readBounded(this.#path, MOST_BYTES);
    } catch (error) {
      // A file that was never written is the usual first start.
      if (isMissing(error)) return this.#defaults;
      return this.#setAside(stamp, reasonOf(error));
    }
    try {
      const parsed = this.#schema.safeParse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
      if (parsed.success) return parsed.data;
      const issue = parsed.error.issues[0];
      return await this.#setAside(stamp, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unknown form'}`);
    } catch {
      return this.#setAside(stamp, 'it is not JSON');
    }
  }

  /** Writes soon, after the writes before it. Values that were replaced in the meantime are left out. */
  write(value: T): void {
    const idle = this.#next === undefined;
    this.#next = value;
    if (idle) this.#writing = this.#writing.then(() => this.#writeNext());
  }

  /** Waits until everything is on the disk, or was told to be impossible. True: it is. */
  async flush(): Promise<boolean> {
    await this.#writing;
    return !this.#failing;
  }

  async #writeNext(): Promise<void> {
    const value = this.#next;
    this.#next = undefined;
    try {
      await writeFileAtomic(this.#path, `${JSON.stringify(value, null, 2)}\n`, { force: true });
      this.#failing = false;
    } catch (error) {
      // Said once: a full disk stays full for many writes.
      if (!this.#failing) this.#notify(`${basename(this.#path)} could not be saved: ${reasonOf(error)}`);
      this.#failing = true;
    }
  }

  async #setAside(stamp: string, reason: string): Promise<T> {
    const aside = `${this.#path}.bad-${stamp.replaceAll(/[^0-9TZ]/g, '')}`;
    const kept = await rename(this.#path, aside).then(
      () => `it was kept as ${basename(aside)}`,
      () => 'it could not be set aside',
    );
    this.#notify(`${basename(this.#path)} could not be read (${reason}); the defaults are used, ${kept}`);
    return this.#defaults;
  }
}

function isMissing(error: unknown): boolean {
  const cause = error instanceof TokenscopeError ? error.cause : error;
  return cause instanceof Error && 'code' in cause && (cause.code === 'ENOENT' || cause.code === 'ENOTDIR');
}
