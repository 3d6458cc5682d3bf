import { readdir, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { reasonOf, TokenscopeError } from '../shared/errors.ts';
import type { TabEntry } from '../shared/host.ts';
import type { FileVersion } from '../shared/model-folder.ts';
import type { TraceRecord } from '../shared/record.ts';
import { fileVersion, isSameVersion } from './file-version.ts';
import { checkedRecord } from './open-record.ts';
import { fileText, type RecordContent, type RecordContents } from './record-contents.ts';
import { readRecordBytes, writeFileAtomic } from './record-files.ts';
import { fileNameFor, openableText } from './saved-record.ts';
import { type Notify, StoredJson } from './stored-json.ts';
import { type Origin, placeOf, type Session, sessionSchema, type StoredTab } from './stored-tabs.ts';

/** A record that was not refused, and the name that a file of it should have. */
export interface ValidRecord {
  name: string;
  content: Extract<RecordContent, { record: unknown } | { json: unknown }>;
}

interface Tab extends StoredTab {
  /** Undefined until it is read: tabs of the last session are opened when somebody looks at them. */
  content: RecordContent | undefined;
  /** Set while it is being read. */
  reading: Promise<RecordContent> | undefined;
  /** Of the file when its content was read. */
  version: FileVersion | undefined;
  /** False: its copy could not be written, so it is in memory only. */
  kept: boolean;
}

export interface TabsOptions {
  dataDirectory: string;
  sampleRecord: string;
  newId: () => string;
  notify: Notify;
  contents: RecordContents;
}

/**
 * The records that are open. A record without a file of its own, from a run or handed over by a page, has a copy in the
 * data directory, so that every tab is there again after a restart, the unsaved ones too.
 */
export class Tabs {
  readonly #options: TabsOptions;
  readonly #copies: string;
  readonly #session: StoredJson<Session>;
  #tabs: Tab[] = [];
  /** Files on their way to a tab: who asks for one again gets the same. */
  readonly #onTheirWay = new Map<string, Promise<string>>();

  constructor(options: TabsOptions) {
    this.#options = options;
    this.#copies = join(options.dataDirectory, 'records');
    this.#session = new StoredJson(
      join(options.dataDirectory, 'session.json'),
      sessionSchema,
      { tabs: [] },
      options.notify,
    );
  }

  /**
   * The tabs of the last session. With `reopen` false only those that would be lost otherwise. A copy that no tab knows
   * (the session file was lost) is opened as well.
   */
  async restore(stamp: string, reopen: boolean): Promise<void> {
    // Where there can be no folder there are no copies; whoever made the folder has said so.
    const names = await readdir(this.#copies).catch(() => []);
    const copies = new Set(names.flatMap((name) => /^([0-9a-f-]{36})\.json$/.exec(name)?.[1] ?? []));
    const { tabs } = await this.#session.read(stamp);
    for (const tab of tabs) {
      const hasCopy = copies.delete(tab.id);
      if (tab.origin.kind === 'copy' && !hasCopy) continue;
      if (reopen || tab.unsaved)
        this.#tabs.push({ ...tab, content: undefined, reading: undefined, version: undefined, kept: true });
      else if (hasCopy) await this.#removeCopy(tab.id);
    }
    for (const id of copies) {
      if (!z.uuid().safeParse(id).success) continue;
      const origin: Origin = { kind: 'copy', place: 'recovered' };
      this.#tabs.push({
        id,
        name: 'recovered record',
        origin,
        unsaved: true,
        valid: true,
        content: undefined,
        reading: undefined,
        version: undefined,
        kept: true,
      });
    }
  }

  entries(): TabEntry[] {
    return this.#tabs.map(({ id, name, origin, unsaved, valid }) => ({
      id,
      name,
      place: placeOf(origin),
      unsaved,
      valid,
    }));
  }

  /**
   * Opens a file, or finds the tab that has it; a file that changed since takes that tab's place. Throws a `file` error,
   * or a `worker` error for a large one that could not be read to its end.
   */
  openPath(path: string): Promise<string> {
    const full = resolve(path);
    const known = this.#onTheirWay.get(full);
    if (known !== undefined) return known;
    const opened = this.#openFile(full).finally(() => this.#onTheirWay.delete(full));
    this.#onTheirWay.set(full, opened);
    return opened;
  }

  async #openFile(full: string): Promise<string> {
    const version = await fileVersion(full);
    const open = this.#tabs.find(({ origin }) => origin.kind === 'file' && origin.path === full);
    if (open !== undefined && (open.content === undefined || isSameVersion(open.version, version))) return open.id;
    const bytes = await readRecordBytes(full);
    const content = await this.#options.contents.open(basename(full), bytes, full);
    if (open !== undefined) this.#tabs = this.#tabs.filter((other) => other !== open);
    return this.#add(basename(full), { kind: 'file', path: full }, content, false, { version });
  }

  async openSample(): Promise<string> {
    const open = this.#tabs.find(({ origin }) => origin.kind === 'sample');
    if (open !== undefined) return open.id;
    const path = this.#options.sampleRecord;
    const content = await this.#options.contents.read(await readRecordBytes(path), path);
    return this.#add('sample record', { kind: 'sample' }, content, false);
  }

  /** Opens what a page handed over. The person has it as a file somewhere, so it counts as saved. */
  async openBytes(name: string, bytes: Uint8Array): Promise<string> {
    const content = await this.#options.contents.open(name, bytes);
    const id = this.#options.newId();
    const kept = await this.#writeCopy(id, bytes);
    return this.#add(name, { kind: 'copy', place: 'from the page' }, content, false, { id, kept });
  }

  /** The record of a run. `stored`: its copy is on the disk, so the run's journal has done its work. */
  async addRun(name: string, record: TraceRecord): Promise<{ id: string; stored: boolean }> {
    const id = this.#options.newId();
    const kept = await this.#writeCopy(id, openableText(record));
    this.#add(name, { kind: 'copy', place: 'not saved yet' }, checkedRecord(record), true, { id, kept });
    return { id, stored: kept && (await this.#session.flush()) };
  }

  /** Throws a `file` error if the record is no longer where it was, or a `worker` error as openPath. */
  async read(id: string): Promise<RecordContent> {
    const tab = this.#tab(id);
    if (tab.content !== undefined) return tab.content;
    tab.reading ??= this.#readTab(tab).finally(() => {
      tab.reading = undefined;
    });
    return tab.reading;
  }

  async #readTab(tab: Tab): Promise<RecordContent> {
    const path = this.#readablePath(tab);
    tab.version = await fileVersion(path);
    const content = await this.#options.contents.read(await readRecordBytes(path), path);
    tab.content = content;
    if (tab.valid !== content.valid) {
      tab.valid = content.valid;
      this.#store();
    }
    return content;
  }

  /** The record as the text of its file, and the name that a file of it should have. A large one stays as it was written. */
  async textOf(id: string): Promise<{ name: string; text: string | Uint8Array }> {
    const { name, content } = await this.validRecord(id);
    return { name, text: fileText(content) };
  }

  async validRecord(id: string): Promise<ValidRecord> {
    const tab = this.#tab(id);
    const content = await this.read(id);
    if (!content.valid) {
      throw new TokenscopeError('record', 'a record that was refused is not saved again', {
        remedy: 'its file is as it was',
      });
    }
    return { name: fileNameFor(tab.name, 'json' in content ? content : content.record), content };
  }

  /** The file that a save goes to without asking, if there is one. */
  fileOf(id: string): { path: string; unsaved: boolean } | undefined {
    const { origin, unsaved } = this.#tab(id);
    return origin.kind === 'file' ? { path: origin.path, unsaved } : undefined;
  }

  /** Writes the record. Throws a `file` error, and then the tab is as it was. */
  async saveTo(id: string, path: string): Promise<void> {
    const { text } = await this.textOf(id);
    await writeFileAtomic(path, text, { force: true });
    const full = resolve(path);
    await this.#moved(id, basename(full), { kind: 'file', path: full });
  }

  /** The page has stored the record as a file of this name. Our copy stays, since we cannot read that file again. */
  async savedByPage(id: string, name: string): Promise<void> {
    const tab = this.#tab(id);
    if (tab.origin.kind !== 'copy') tab.kept = await this.#writeCopy(id, (await this.textOf(id)).text);
    await this.#moved(id, name, { kind: 'copy', place: 'downloads' });
  }

  async close(id: string): Promise<void> {
    const tab = this.#tab(id);
    this.#tabs = this.#tabs.filter((other) => other !== tab);
    await this.#removeCopy(id);
    this.#store();
  }

  /** Tries again to keep what could not be kept, and counts what would be lost if the application ended now. */
  async lostOnClose(): Promise<number> {
    let lost = 0;
    let tried = false;
    for (const tab of this.#tabs) {
      if (tab.origin.kind !== 'copy' || tab.kept || tab.content === undefined) continue;
      const { content } = tab;
      tried = true;
      tab.kept = content.valid && (await this.#writeCopy(tab.id, fileText(content), () => undefined));
      if (!tab.kept && tab.unsaved) lost++;
    }
    // The copies would be found without it, but not what they are called.
    if (tried) this.#store();
    await this.#session.flush();
    return lost;
  }

  async flush(): Promise<void> {
    await this.lostOnClose();
  }

  #tab(id: string): Tab {
    const tab = this.#tabs.find((tab) => tab.id === id);
    if (tab === undefined) throw new TokenscopeError('argument', 'this record is not open');
    return tab;
  }

  #readablePath({ id, origin }: Tab): string {
    switch (origin.kind) {
      case 'file':
        return origin.path;
      case 'copy':
        return this.#copyPath(id);
      case 'sample':
        return this.#options.sampleRecord;
    }
  }

  #add(
    name: string,
    origin: Origin,
    content: RecordContent,
    unsaved: boolean,
    {
      id = this.#options.newId(),
      kept = true,
      version,
    }: { id?: string; kept?: boolean; version?: FileVersion | undefined } = {},
  ): string {
    this.#tabs.push({ id, name, origin, unsaved, valid: content.valid, content, reading: undefined, version, kept });
    this.#store();
    return id;
  }

  async #moved(id: string, name: string, origin: Origin): Promise<void> {
    const tab = this.#tab(id);
    const hadCopy = tab.origin.kind === 'copy';
    tab.name = name;
    tab.origin = origin;
    tab.unsaved = false;
    if (origin.kind === 'file') tab.version = await fileVersion(origin.path);
    this.#store();
    if (hadCopy && origin.kind !== 'copy' && (await this.#session.flush())) await this.#removeCopy(id);
  }

  #copyPath(id: string): string {
    return join(this.#copies, `${id}.json`);
  }

  /** False: it could not be written, which is said; the record is in memory all the same. */
  async #writeCopy(id: string, content: string | Uint8Array, notify = this.#options.notify): Promise<boolean> {
    try {
      await writeFileAtomic(this.#copyPath(id), content, { force: true });
      return true;
    } catch (error) {
      notify(`this record will not be open again after a restart: ${reasonOf(error)}`);
      return false;
    }
  }

  async #removeCopy(id: string): Promise<void> {
    // One that cannot be removed is opened again at the next start, which is better than a tab that does not close.
    await rm(this.#copyPath(id), { force: true }).catch(() => undefined);
  }

  #store(): void {
    this.#session.write({
      tabs: this.#tabs.map(({ id, name, origin, unsaved, valid }) => ({ id, name, origin, unsaved, valid })),
    });
  }
}
