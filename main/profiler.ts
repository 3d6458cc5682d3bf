import { randomUUID } from 'node:crypto';
import { basename, join } from 'node:path';
import { TokenscopeError } from '../shared/errors.ts';
import { type ExportRequest, exportFormat, exportName } from '../shared/export-formats.ts';
import {
  type AppState,
  DEFAULT_SETTINGS,
  type HostEvent,
  type OpenRecord,
  type OpenRecordText,
  type Outcome,
  settingsSchema,
} from '../shared/host.ts';
import { makeDataFolders } from './data-folders.ts';
import { DownloadControl } from './download-control.ts';
import { ModelList } from './model-list.ts';
import { ModelVerifier } from './model-verifier.ts';
import { outcomeOf } from './outcome.ts';
import type { Profiler, ProfilerOptions } from './profiler-contract.ts';
import { RecentFiles } from './recent-files.ts';
import { type RecordContent, RecordContents } from './record-contents.ts';
import { writeFileAtomic } from './record-files.ts';
import { RecordReader } from './record-reader.ts';
import { forkNodeRecordWorker } from './record-worker-host.ts';
import { recoverRuns } from './recover-runs.ts';
import { RunControl } from './run-control.ts';
import { StoredJson } from './stored-json.ts';
import { presetEntries, Synthesis } from './synthesis.ts';
import { Tabs } from './tabs.ts';
import { WarmWorker } from './warm-worker.ts';

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
    // What draws a report is loaded only where one is drawn.
    const { exportFileContent } = await import('./export-file.ts');
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
