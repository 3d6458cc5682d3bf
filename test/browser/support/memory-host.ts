import { exportName } from '../../../shared/export-formats.ts';
import type { AppState, HostError, HostEvent, Outcome, ProfilerHost, RecordSource } from '../../../shared/host.ts';
import { parseRecord, type RecordResult } from '../../../shared/parse-record.ts';
import { PRESETS } from '../../../shared/presets.ts';
import type { TraceRecord } from '../../../shared/record.ts';
import { applyEvent, draftToRecord, type RecordDraft, startDraft, stepName } from '../../../shared/record-draft.ts';
import { summarizeRecord } from '../../../shared/summarize.ts';
import { replay, type TimedEvent } from './replay.ts';

/** What the page's address may ask for. */
export interface MemoryOptions {
  /** The record behind the sample button. */
  sampleUrl: string;
  /** How much faster than recorded a run is replayed; null for at once. */
  speed: number | null;
  /** Events of a run instead of the sample's. */
  events?: (record: TraceRecord) => TimedEvent[];
}

interface MemoryTab {
  id: string;
  name: string;
  unsaved: boolean;
  result: RecordResult;
  valid: boolean;
}

const fine = <T>(value: T): Outcome<T> => ({ ok: true, value });
const refuse = (error: Partial<HostError> & { message: string }): Outcome<never> => ({
  ok: false,
  error: { code: 'argument', path: null, remedy: null, ...error },
});

/** A ProfilerHost without a process behind it: opens records for real and replays a recorded run as if it were live. */
export function memoryHost(options: MemoryOptions): ProfilerHost {
  const listeners = new Set<(event: HostEvent) => void>();
  const tabs: MemoryTab[] = [];
  const models: AppState['models'] = [
    {
      id: 'demo',
      name: 'Demo model',
      kind: 'demo',
      place: 'ships with Tokenscope',
      disk: { graph: 'onnx/model.onnx', weight_bytes: 4_300_000, context_tokens: 4096 },
      source: null,
      info: null,
      problem: null,
    },
    {
      id: 'qwen',
      name: 'Qwen2.5-0.5B-Instruct, q4',
      kind: 'folder',
      place: '…/tokenscope/models',
      disk: { graph: 'onnx/model_q4.onnx', weight_bytes: 786_156_820, context_tokens: 32_768 },
      source: {
        repository: 'onnx-community/Qwen2.5-0.5B-Instruct',
        revision: 'cc5cc01a65cc3ff17bdb73a7de33d879f62599b0',
        license: 'apache-2.0',
        variant: 'q4',
        complete: true,
      },
      info: null,
      problem: null,
    },
    {
      id: 'gone',
      name: 'smollm-on-a-stick',
      kind: 'folder',
      place: '…/models/smollm-on-a-stick',
      disk: null,
      source: null,
      info: null,
      problem: 'the folder is no longer there: plug the drive in, or take it off the list',
    },
  ];
  let settings: AppState['settings'] = { theme: 'system', reopen_tabs: true };
  let run: AppState['run'] = null;
  let synthesis: AppState['synthesis'] = null;
  let download: AppState['download'] = null;
  let endDownload: (() => void) | undefined;
  let draft: RecordDraft | undefined;
  const stop = { asked: false };
  let nextId = 1;

  const state = (): AppState => ({
    version: '0.1.0',
    host: 'browser',
    models: structuredClone(models),
    tabs: tabs.map(({ id, name, unsaved, valid }) => ({ id, name, place: '', unsaved, valid })),
    recent: [{ id: 'recent-1', name: 'live-run.json', place: '…/records' }],
    settings,
    run,
    opening: [],
    synthesis,
    download,
    verification: null,
    presets: PRESETS.map(({ name, title, description }, index) => ({
      name,
      label: title,
      description,
      bytes: 4e6 * 8 ** index,
    })),
  });
  const tell = (event: HostEvent): void => {
    for (const listener of listeners) listener(event);
  };
  const changed = (): void => tell({ type: 'state', state: state() });
  const emit = (event: Extract<HostEvent, { type: 'run_event' }>['event']): void => {
    if (draft !== undefined) applyEvent(draft, structuredClone(event));
    if (event.type === 'step' && run !== null) {
      run = {
        ...run,
        phase: stop.asked ? 'stopping' : 'running',
        step: { index: event.index, count: event.count, words: stepName(event.step) },
      };
      changed();
    }
    tell({ type: 'run_event', event });
  };

  function addTab(name: string, result: RecordResult, unsaved: boolean): string {
    const id = `record-${nextId++}`;
    tabs.push({ id, name, unsaved, result, valid: result.ok && consistent(result.record) });
    changed();
    return id;
  }
  async function bytesOf(source: RecordSource): Promise<{ name: string; bytes: Uint8Array }> {
    if (source.by === 'file')
      return {
        name: source.file.name,
        bytes: new Uint8Array(await source.file.slice(0, source.file.size).arrayBuffer()),
      };
    const answer = await fetch(options.sampleUrl);
    return { name: options.sampleUrl.split('/').at(-1) ?? 'sample', bytes: new Uint8Array(await answer.arrayBuffer()) };
  }
  const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { fatal: true }).decode(bytes);

  async function play(request: Parameters<ProfilerHost['startRun']>[0]): Promise<void> {
    const { bytes } = await bytesOf({ by: 'sample' });
    const source = parseRecord(bytes, decode);
    if (!source.ok) throw new Error('the sample was refused');
    const { record } = source;
    draft = startDraft(request.plan, headerOf(record), '2026-01-01T00:00:00.000Z');
    if (run !== null) run = { ...run, phase: 'running', stage: null };
    changed();
    tell({ type: 'run_started', draft: structuredClone(draft) });
    const events = options.events?.(record) ?? replay(record, request.plan);
    const start = performance.now();
    let status: 'complete' | 'cancelled' = 'complete';
    for (const { at, event } of events) {
      if (stop.asked && event.type !== 'sample') {
        status = 'cancelled';
        break;
      }
      if (options.speed !== null) {
        const due = start + at / options.speed;
        while (performance.now() < due && !stop.asked)
          await new Promise((resolve) => setTimeout(resolve, Math.max(0, Math.min(50, due - performance.now()))));
      }
      emit(event);
    }
    emit({ type: 'finished', status });
    const made = draftToRecord(draft, status === 'complete' ? { status } : { status, reason: 'cancelled by request' });
    draft = undefined;
    run = null;
    const id = addTab(request.plan.name, { ok: true, record: made, version: 1 }, true);
    const notice = status === 'cancelled' ? 'stopped; what was measured until then is kept' : null;
    tell({ type: 'run_ended', id, kind: 'info', notice });
  }

  return {
    getState: async () => state(),
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async openRecord(source) {
      if (source.by === 'dialog') return fine(undefined);
      const { name, bytes } = await bytesOf(source);
      return fine({ id: addTab(name, parseRecord(bytes, decode), false) });
    },
    async readRecord(id) {
      const tab = tabs.find((entry) => entry.id === id);
      if (tab === undefined) return refuse({ message: 'no such record is open' });
      const { result } = tab;
      if (!result.ok) {
        const { parts } = result;
        const readable: Partial<TraceRecord> = {
          ...(parts?.model ? { model: parts.model } : {}),
          ...(parts?.environment ? { environment: parts.environment } : {}),
          ...(parts?.generation ? { generation: parts.generation } : {}),
          runs: parts?.runs.map((entry) => entry.run) ?? [],
        };
        return fine({ valid: false, problems: [...result.problems], readable });
      }
      if (tab.valid) return fine({ valid: true, record: result.record });
      const checked = summarizeRecord(result.record);
      return fine({ valid: false, problems: checked.ok ? [] : [...checked.problems], readable: result.record });
    },
    async saveRecord({ id }) {
      const tab = tabs.find((entry) => entry.id === id);
      if (tab === undefined) return refuse({ message: 'no such record is open' });
      tab.unsaved = false;
      changed();
      return fine({ id });
    },
    async closeRecord(id) {
      const place = tabs.findIndex((entry) => entry.id === id);
      if (place >= 0) tabs.splice(place, 1);
      changed();
      return fine(undefined);
    },
    async exportFile({ id, format, scale }) {
      const tab = tabs.find((entry) => entry.id === id);
      if (tab === undefined) return refuse({ message: 'no such record is open' });
      if (format === 'png' && scale > 8) {
        return refuse({ message: 'the picture would have too many pixels', remedy: 'use a smaller scale' });
      }
      return fine({ name: exportName(tab.name, format) });
    },
    copyPicture: async () => fine(undefined),
    async startRun(request) {
      if (run !== null) return refuse({ message: 'a run is in progress', remedy: 'stop it first' });
      const model = models.find(({ id }) => id === request.model);
      stop.asked = false;
      run = {
        phase: 'loading',
        stage: 'model',
        model: request.model,
        model_name: model?.name ?? request.model,
        plan_name: request.plan.name,
        step: null,
      };
      changed();
      void play(request);
      return fine(undefined);
    },
    async cancelRun() {
      stop.asked = true;
      if (run !== null) run = { ...run, phase: 'stopping' };
      changed();
      return fine(undefined);
    },
    attachRun: async () => structuredClone(draft),
    async addModel() {
      return refuse({
        code: 'model',
        message: 'a browser cannot hand over a folder',
        remedy: 'start Tokenscope with --model and the folder',
      });
    },
    async removeModel(id) {
      const place = models.findIndex((entry) => entry.id === id);
      if (place >= 0) models.splice(place, 1);
      changed();
      return fine(undefined);
    },
    async synthesizeModel(preset) {
      const total = 40_000_000;
      for (let done = 0; done <= total; done += 4_000_000) {
        synthesis = { preset, done_bytes: done, total_bytes: total };
        changed();
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
      synthesis = null;
      const id = `model-${nextId++}`;
      models.push({
        id,
        name: `${preset}, synthetic`,
        kind: 'synthetic',
        place: '',
        disk: null,
        source: null,
        info: null,
        problem: null,
      });
      changed();
      return fine({ id });
    },
    async cancelSynthesis() {
      synthesis = null;
      changed();
      return fine(undefined);
    },
    /** Stands still half way until it is cancelled. */
    async downloadModel(request) {
      const half = { path: 'onnx/model_q4.onnx', done_bytes: 393e6, total_bytes: 786e6 };
      download = {
        ...request,
        resolved: { ...request, revision: 'a'.repeat(40), license: 'apache-2.0', bytes: 797e6, files: 6 },
        progress: {
          phase: 'downloading',
          file: half,
          done_bytes: 400e6,
          total_bytes: 797e6,
          bytes_per_second: 12e6,
          seconds_left: 33,
          waiting: null,
        },
      };
      changed();
      await new Promise<void>((resolve) => {
        endDownload = resolve;
      });
      download = null;
      changed();
      return fine(undefined);
    },
    async cancelDownload() {
      endDownload?.();
      return fine(undefined);
    },
    verifyModel: async () => fine({ files: [{ path: 'config.json', bytes: 700, problem: null }] }),
    async updateSettings(change) {
      settings = { ...settings, ...change };
      changed();
      return fine(undefined);
    },
  };
}

function consistent(record: TraceRecord): boolean {
  return summarizeRecord(record).ok;
}

function headerOf(record: TraceRecord): RecordDraft['header'] {
  return {
    environment: record.environment ?? {},
    model: record.model,
    load: { model_ms: 812.4, tokenizer_ms: 95.2, reused: false },
    source_sha256: record.source_sha256 ?? '',
  };
}
