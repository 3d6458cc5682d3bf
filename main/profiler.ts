import { randomUUID } from 'node:crypto';
import { basename, join } from 'node:path';
import { messageOf, TokenscopeError } from '../shared/errors.ts';
import { type ExportRequest, exportFormat, exportName, type PictureRequest } from '../shared/export-formats.ts';
import {
  type AppState,
  DEFAULT_SETTINGS,
  type HostEvent,
  type ModelDownload,
  type ModelVerification,
  type OpenRecord,
  type OpenRecordText,
  type Outcome,
  type RunRequest,
  type Settings,
  settingsSchema,
} from '../shared/host.ts';
import type { RecordDraft } from '../shared/record-draft.ts';
import { makeDataFolders } from './data-folders.ts';
import { DownloadControl } from './download-control.ts';
import type { HubAccess } from './download/hub-endpoint.ts';
import { exportFileContent } from './export-file.ts';
import { ModelList } from './model-list.ts';
import { ModelVerifier } from './model-verifier.ts';
import { outcomeOf } from './outcome.ts';
import { RecentFiles } from './recent-files.ts';
import { type RecordContent, RecordContents } from './record-contents.ts';
import { writeFileAtomic } from './record-files.ts';
import { RecordReader } from './record-reader.ts';
import { forkNodeRecordWorker } from './record-worker-host.ts';
import { RunControl } from './run-control.ts';
import { leftJournals, readJournal, removeJournal } from './run-journal.ts';
import { StoredJson } from './stored-json.ts';
import { presetEntries, Synthesis } from './synthesis.ts';
import { Tabs } from './tabs.ts';
import { WarmWorker } from './warm-worker.ts';
import type { WorkerHost } from './worker-process.ts';

/** How a person is asked for a place. Each resolves with undefined if they decline; a host without dialogs throws. */
export interface Dialogs {
  openRecord(): Promise<string | undefined>;
  saveRecord(suggestedName: string): Promise<string | undefined>;
  openFolder(): Promise<string | undefined>;
  /** Asks before a file is replaced. `ending` with its dot. */
  saveExport(suggestedName: string, type: { label: string; ending: string }): Promise<string | undefined>;
}

export interface ProfilerOptions {
  version: string;
  host: AppState['host'];
  /** Everything that is remembered lies here. Created if it is missing. */
  dataDirectory: string;
  demoModel: string;
  sampleRecord: string;
  forkWorker: () => WorkerHost;
  /** The process that reads a large record; by default one of Node. */
  forkRecordWorker?: () => WorkerHost;
  dialogs: Dialogs;
  /** Where models are downloaded from; by default HF_ENDPOINT and HF_TOKEN say. */
  hubAccess?: HubAccess;
  /** Puts a PNG on the clipboard; where it is missing, the window has to do it itself. */
  copyPicture?: (png: Uint8Array) => Promise<void>;
  /** The date, for records and file names. Durations are never taken from it. */
  now?: () => Date;
  newId?: () => string;
  /** How long a worker may go without progress after a cancel before it is ended, in milliseconds. */
  cancelTimeoutMs?: number;
}

/** Where a record comes from, as the main process sees it. Paths come from dialogs, from the system and from drops. */
export type RecordOrigin =
  | { by: 'dialog' }
  | { by: 'recent'; id: string }
  | { by: 'sample' }
  | { by: 'path'; path: string }
  | { by: 'bytes'; name: string; bytes: Uint8Array };
export type FolderOrigin = { by: 'dialog' } | { by: 'path'; path: string };

/** The application without a window: what both hosts put behind ProfilerHost. Every end is an answer, none throws. */
export interface Profiler {
  getState(): AppState;
  /** Events in order. Notices that nobody could be told of so far come first. */
  subscribe(listener: (event: HostEvent) => void): () => void;
  openRecord(origin: RecordOrigin): Promise<Outcome<{ id: string } | undefined>>;
  readRecord(id: string): Promise<Outcome<OpenRecord | OpenRecordText>>;
  saveRecord(request: { id: string; as: boolean }): Promise<Outcome<{ id: string } | undefined>>;
  /** The text of a record, for a host that hands it to a page to save. */
  exportRecord(id: string): Promise<Outcome<{ name: string; text: string | Uint8Array }>>;
  /** A page has saved what it was handed. */
  exportedRecord(id: string, name: string): Promise<Outcome<undefined>>;
  closeRecord(id: string): Promise<Outcome<undefined>>;
  exportFile(request: ExportRequest): Promise<Outcome<{ name: string } | undefined>>;
  /** The same content, for a host that hands it to a page. */
  exportContent(request: ExportRequest): Promise<Outcome<{ name: string; content: Uint8Array }>>;
  copyPicture(request: PictureRequest): Promise<Outcome<undefined>>;
  startRun(request: RunRequest): Promise<Outcome<undefined>>;
  cancelRun(): Promise<Outcome<undefined>>;
  attachRun(): RecordDraft | undefined;
  lastRun(): Extract<HostEvent, { type: 'run_ended' }> | null;
  addModel(origin: FolderOrigin): Promise<Outcome<{ id: string } | undefined>>;
  removeModel(id: string): Promise<Outcome<undefined>>;
  synthesizeModel(preset: string): Promise<Outcome<{ id: string } | undefined>>;
  cancelSynthesis(): Promise<Outcome<undefined>>;
  downloadModel(request: ModelDownload): Promise<Outcome<{ id: string } | undefined>>;
  cancelDownload(): Promise<Outcome<undefined>>;
  verifyModel(id: string): Promise<Outcome<ModelVerification>>;
  updateSettings(settings: Partial<Settings>): Promise<Outcome<undefined>>;
  /** For the host itself: the state whenever it changes. What windows are told stays theirs. */
  watch(listener: (state: AppState) => void): void;
  /** Tries once more to keep records that have no file yet, and says how many would be lost by closing. */
  lostOnClose(): Promise<number>;
  /** Tells a window something that nobody asked for. */
  emit(event: HostEvent): void;
  /** Ends what is going on and keeps it, then waits until everything is on the disk. */
  close(): Promise<void>;
}

/** Reads what is remembered from `dataDirectory`, brings back what a crash has cut off, and is ready to work. */
export async function openProfiler(options: ProfilerOptions): Promise<Profiler> {
  const { dataDirectory, dialogs, forkWorker, demoModel } = options;
  const now = options.now ?? (() => new Date());
  const newId = options.newId ?? randomUUID;
  const cancelTimeoutMs = options.cancelTimeoutMs ?? 15_000;

  const listeners = new Set<(event: HostEvent) => void>();
  const watchers: ((state: AppState) => void)[] = [];
  const untold: HostEvent[] = [];
  let stateDue = false;
  const tell = (event: HostEvent) => {
    if (listeners.size === 0 && (event.type === 'notice' || event.type === 'opened')) untold.push(event);
    for (const listener of [...listeners]) listener(event);
  };
  const flushState = () => {
    if (!stateDue) return;
    stateDue = false;
    const state = getState();
    tell({ type: 'state', state });
    for (const watcher of watchers) watcher(state);
  };
  // Many changes in one turn are one event; whatever else is told finds the state up to date.
  const changed = () => {
    if (stateDue) return;
    stateDue = true;
    setImmediate(flushState);
  };
  const emit = (event: HostEvent) => {
    if (event.type !== 'run_event') flushState();
    tell(event);
  };
  const notify = (message: string) => emit({ type: 'notice', kind: 'error', message });

  const journalFolder = join(dataDirectory, 'journal');
  const settingsFile = new StoredJson(join(dataDirectory, 'settings.json'), settingsSchema, DEFAULT_SETTINGS, notify);
  const reader = new RecordReader(options.forkRecordWorker ?? (() => forkNodeRecordWorker()));
  const contents = new RecordContents(reader, changed);
  const tabs = new Tabs({ dataDirectory, sampleRecord: options.sampleRecord, newId, notify, contents });
  const recent = new RecentFiles(dataDirectory, newId, notify);
  const models = new ModelList({ dataDirectory, demoModel, newId, notify });
  const worker = new WarmWorker(forkWorker);
  const run = new RunControl({ models, tabs, worker, journalFolder, now, newId, cancelTimeoutMs, emit, changed });
  const synthesis = new Synthesis({ models, demoModel, forkWorker, cancelTimeoutMs, changed });
  const downloads = new DownloadControl({ models, changed, access: options.hubAccess });
  const verifier = new ModelVerifier({ models, changed });
  const presets = presetEntries();
  let settings = DEFAULT_SETTINGS;
  let closing: Promise<void> | undefined;

  const getState = (): AppState => ({
    version: options.version,
    host: options.host,
    models: models.entries(),
    tabs: tabs.entries(),
    recent: recent.entries(),
    settings,
    run: run.state,
    opening: contents.opening(),
    synthesis: synthesis.state,
    download: downloads.state,
    verification: verifier.state,
    presets,
  });
  /** An answer, after which the window knows the state that it led to. */
  const answer = async <T>(work: () => T | Promise<T>): Promise<Outcome<T>> => {
    const outcome = await outcomeOf(work);
    changed();
    flushState();
    return outcome;
  };

  await makeDataFolders(dataDirectory, notify);
  const stamp = now().toISOString();
  settings = await settingsFile.read(stamp);
  await Promise.all([tabs.restore(stamp, settings.reopen_tabs), recent.load(stamp), models.load(stamp)]);
  await recoverRuns(journalFolder, tabs, emit);

  const openPath = async (path: string) => {
    try {
      const id = await tabs.openPath(path);
      recent.add(path);
      return { id };
    } catch (error) {
      // What took too much memory is there all the same.
      if (!(error instanceof TokenscopeError && error.code === 'worker')) recent.remove(path);
      throw error;
    }
  };

  const exported = async (request: ExportRequest) => {
    const { name, content } = await tabs.validRecord(request.id);
    return {
      name: exportName(name, request.format),
      content: await ('json' in content
        ? reader.exportContent(content.json, request)
        : exportFileContent(content.record, request)),
    };
  };

  return {
    getState,
    subscribe(listener) {
      listeners.add(listener);
      for (const event of untold.splice(0)) listener(event);
      return () => void listeners.delete(listener);
    },
    openRecord: (origin) =>
      answer(async () => {
        switch (origin.by) {
          case 'dialog': {
            const path = await dialogs.openRecord();
            return path === undefined ? undefined : openPath(path);
          }
          case 'recent':
            return openPath(recent.pathOf(origin.id));
          case 'path':
            return openPath(origin.path);
          case 'sample':
            return { id: await tabs.openSample() };
          case 'bytes':
            return { id: await tabs.openBytes(origin.name, origin.bytes) };
        }
      }),
    // Windows read whenever the state changes, so reading is no change, but for a file that is not what it was.
    async readRecord(id) {
      const before = JSON.stringify(tabs.entries());
      const outcome = await outcomeOf(async () => handed(await tabs.read(id)));
      if (JSON.stringify(tabs.entries()) !== before) changed();
      return outcome;
    },
    saveRecord: ({ id, as }) =>
      answer(async () => {
        const file = tabs.fileOf(id);
        if (file !== undefined && !as && !file.unsaved) return { id };
        const { name } = await tabs.textOf(id);
        const path = file === undefined || as ? await dialogs.saveRecord(name) : file.path;
        if (path === undefined) return undefined;
        await tabs.saveTo(id, path);
        recent.add(path);
        return { id };
      }),
    exportRecord: (id) => answer(() => tabs.textOf(id)),
    exportedRecord: (id, name) => answer(() => tabs.savedByPage(id, name).then(() => undefined)),
    closeRecord: (id) => answer(() => tabs.close(id).then(() => undefined)),
    // Drawn before a place is asked for: what is refused is refused first.
    exportFile: (request) =>
      answer(async () => {
        const { name, content } = await exported(request);
        const { label, ending } = exportFormat(request.format);
        const path = await dialogs.saveExport(name, { label, ending });
        if (path === undefined) return undefined;
        await writeFileAtomic(path, content, { force: true });
        return { name: basename(path) };
      }),
    exportContent: (request) => answer(() => exported(request)),
    copyPicture: (request) =>
      answer(async () => {
        if (options.copyPicture === undefined) throw new TokenscopeError('argument', 'this host has no clipboard');
        await options.copyPicture((await exported({ ...request, format: 'png' })).content);
        return undefined;
      }),
    startRun: (request) =>
      answer(() => {
        if (closing !== undefined) throw new TokenscopeError('argument', 'the application is closing');
        run.start(request);
        return undefined;
      }),
    cancelRun: () =>
      answer(() => {
        run.cancel();
        return undefined;
      }),
    attachRun: () => run.draft,
    lastRun: () => run.last,
    addModel: (origin) =>
      answer(async () => {
        const path = origin.by === 'path' ? origin.path : await dialogs.openFolder();
        return path === undefined ? undefined : { id: await models.add(path) };
      }),
    removeModel: (id) =>
      answer(() => {
        if (run.state?.model === id) throw new TokenscopeError('argument', 'this model is running');
        if (verifier.state?.model === id) throw new TokenscopeError('argument', 'this model is being verified');
        models.remove(id);
        return undefined;
      }),
    synthesizeModel: (preset) => answer(() => synthesis.start(preset)),
    cancelSynthesis: () =>
      answer(() => {
        synthesis.cancel();
        return undefined;
      }),
    downloadModel: (request) => answer(() => downloads.start(request)),
    cancelDownload: () =>
      answer(() => {
        downloads.cancel();
        return undefined;
      }),
    verifyModel: (id) => answer(() => verifier.verify(id)),
    updateSettings: (change) =>
      answer(() => {
        settings = { ...settings, ...change };
        settingsFile.write(settings);
        return undefined;
      }),
    watch: (listener) => void watchers.push(listener),
    lostOnClose: () => tabs.lostOnClose(),
    emit,
    close() {
      closing ??= (async () => {
        reader.close();
        if (run.state !== null) run.cancel();
        if (synthesis.state !== null) await outcomeOf(() => synthesis.cancel());
        if (downloads.state !== null) await outcomeOf(() => downloads.cancel());
        await run.idle();
        await synthesis.idle();
        await downloads.idle();
        await worker.quit();
        await Promise.all([tabs.flush(), recent.flush(), models.flush(), settingsFile.flush()]);
      })();
      return closing;
    },
  };
}

function handed(content: RecordContent): OpenRecord | OpenRecordText {
  if (!('json' in content)) return content;
  const { valid, problems, json } = content;
  return { valid, problems, json };
}

/** Runs that a crash of the application has cut off are opened as partial records. */
async function recoverRuns(folder: string, tabs: Tabs, emit: (event: HostEvent) => void): Promise<void> {
  for (const path of await leftJournals(folder)) {
    try {
      const run = await readJournal(path);
      if (run === undefined) {
        await removeJournal(path);
        continue;
      }
      const { stored } = await tabs.addRun(`${run.plan}, ${run.model}`, run.record);
      if (stored) await removeJournal(path);
      const samples = run.record.runs.reduce((sum, { samples }) => sum + samples.length, 0);
      const message = `the last session ended during a run (${run.plan}); the ${samples} samples it had measured were recovered`;
      emit({ type: 'notice', kind: 'info', message });
    } catch (error) {
      emit({
        type: 'notice',
        kind: 'error',
        message: `an interrupted run could not be recovered: ${messageOf(error)}`,
      });
    }
  }
}
