import { join, resolve } from 'node:path';
import { basename } from 'node:path';
import { z } from 'zod';
import { TokenscopeError } from '../shared/errors.ts';
import type { AppState } from '../shared/host.ts';
import { displayFolder } from './display-path.ts';
import { type Notify, StoredJson } from './stored-json.ts';

const MOST_FILES = 10;

const recentSchema = z.object({ files: z.array(z.object({ id: z.string(), path: z.string() })) });
type RecentFile = z.infer<typeof recentSchema>['files'][number];

/** The files that were opened or saved last. A window knows them by random ids, never by their paths. */
export class RecentFiles {
  readonly #stored: StoredJson<z.infer<typeof recentSchema>>;
  readonly #newId: () => string;
  #files: RecentFile[] = [];

  constructor(dataDirectory: string, newId: () => string, notify: Notify) {
    this.#stored = new StoredJson(join(dataDirectory, 'recent.json'), recentSchema, { files: [] }, notify);
    this.#newId = newId;
  }

  async load(stamp: string): Promise<void> {
    this.#files = (await this.#stored.read(stamp)).files.slice(0, MOST_FILES);
  }

  entries(): AppState['recent'] {
    return this.#files.map(({ id, path }) => ({ id, name: basename(path), place: displayFolder(path) }));
  }

  /** Throws an `argument` error for an id that is not on the list. */
  pathOf(id: string): string {
    const file = this.#files.find((file) => file.id === id);
    if (file === undefined) throw new TokenscopeError('argument', 'this file is not on the list of recent files');
    return file.path;
  }

  add(path: string): void {
    const full = resolve(path);
    const known = this.#files.find((file) => file.path === full);
    const others = this.#files.filter((file) => file !== known);
    this.#set([known ?? { id: this.#newId(), path: full }, ...others].slice(0, MOST_FILES));
  }

  remove(path: string): void {
    this.#set(this.#files.filter((file) => file.path !== path));
  }

  async flush(): Promise<void> {
    await this.#stored.flush();
  }

  #set(files: RecentFile[]): void {
    this.#files = files;
    this.#stored.write({ files });
  }
}
