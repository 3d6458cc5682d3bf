import { messageOf, TokenscopeError } from '../shared/errors.ts';
import type { HostEvent, RunRequest, RunState } from '../shared/host.ts';
import type { RunEvent } from '../shared/messages.ts';
import type { TraceRecord } from '../shared/record.ts';
import { type Ending, type RecordDraft, stepName } from '../shared/record-draft.ts';
import { ms } from '../shared/units.ts';
import { runExperiment } from './experiment.ts';
import type { ModelList } from './model-list.ts';
import { journalPath, removeJournal, type RunJournal, startJournal } from './run-journal.ts';
import type { Tabs } from './tabs.ts';
import type { WarmWorker } from './warm-worker.ts';

/** A window draws at most every frame or two; posting more often would only cost the run. */
const STREAM = { every_ms: 16, texts: true };

export interface RunControlOptions {
  models: ModelList;
  tabs: Tabs;
  worker: WarmWorker;
  journalFolder: string;
  now: () => Date;
  newId: () => string;
  /** How long a worker may go without any progress after a cancel before it is ended, in milliseconds. */
  cancelTimeoutMs: number;
  emit: (event: HostEvent) => void;
  /** The run's state has changed. */
  changed: () => void;
}

type RunEnded = Extract<HostEvent, { type: 'run_ended' }>;

/** One run at a time: from its request to the record that it leaves. */
export class RunControl {
  readonly #options: RunControlOptions;
  #state: RunState | null = null;
  #draft: RecordDraft | undefined;
  #stop = new AbortController();
  #ended: Promise<void> = Promise.resolve();
  #watchdog: NodeJS.Timeout | undefined;
  #last: RunEnded | null = null;

  constructor(options: RunControlOptions) {
    this.#options = options;
  }

  get state(): RunState | null {
    return this.#state;
  }

  get draft(): RecordDraft | undefined {
    return this.#draft;
  }

  /** How the last run ended, for a window that was away. */
  get last(): RunEnded | null {
    return this.#last;
  }

  /** Starts a run; its end is an event. Throws an `argument` error if one is going on or the model is not known. */
  start({ model, plan }: RunRequest): void {
    if (this.#state !== null) {
      throw new TokenscopeError(
        'argument',
        `a run is going on: ${this.#state.plan_name} on ${this.#state.model_name}`,
        {
          remedy: 'stop it or wait for its end; two at once would measure each other',
        },
      );
    }
    const modelName = this.#options.models.nameOf(model);
    this.#stop = new AbortController();
    this.#set({
      phase: 'loading',
      stage: 'model files',
      model,
      model_name: modelName,
      plan_name: plan.name,
      step: null,
    });
    this.#ended = this.#run({ model, plan }, modelName);
  }

  /** Ends the run at the next token. A model that is still loading has measured nothing, so its process is ended. */
  cancel(): void {
    if (this.#state === null) throw new TokenscopeError('argument', 'no run is going on');
    if (this.#stop.signal.aborted) return;
    const reading = this.#state.stage === 'model files';
    this.#patch({ phase: 'stopping' });
    this.#stop.abort();
    if (this.#draft !== undefined) this.#watch();
    else if (!reading) this.#options.worker.drop('was ended while it loaded the model');
  }

  /** Waits for the end of the run, if there is one. */
  async idle(): Promise<void> {
    await this.#ended;
  }

  async #run(request: RunRequest, modelName: string): Promise<void> {
    let end: RunEnded;
    let journal: RunJournal | undefined;
    try {
      const { ending, record } = await this.#measure(request, (started) => {
        journal = started;
      });
      // A worker whose run broke off may still be at it.
      if (ending.status === 'failed') this.#options.worker.drop('broke off');
      end = await this.#keep(`${request.plan.name}, ${modelName}`, ending, record, journal);
    } catch (error) {
      if (journal !== undefined) await dispose(journal);
      const stopped = this.#stop.signal.aborted;
      end = { type: 'run_ended', id: null, ...(stopped ? NOTHING_KEPT : errorOf(messageOf(error))) };
      if (error instanceof TokenscopeError && error.code === 'model' && !this.#stop.signal.aborted) {
        this.#options.models.setProblem(request.model, error);
      }
    }
    clearTimeout(this.#watchdog);
    this.#draft = undefined;
    this.#last = end;
    this.#set(null);
    this.#options.emit(end);
  }

  async #measure({ model, plan }: RunRequest, onJournal: (journal: RunJournal) => void) {
    const { models, worker, emit, now, newId, journalFolder } = this.#options;
    const { signal } = this.#stop;
    const folder = await models.folderOf(model, signal);
    signal.throwIfAborted();
    let journal: RunJournal | undefined;
    return runExperiment(worker.get(), folder, plan, {
      stream: STREAM,
      createdAt: now().toISOString(),
      signal,
      onLoading: (stage) => this.#patch({ stage }),
      onDraft: (draft) => {
        models.loaded(model, draft.header.model);
        journal = startJournal(journalPath(journalFolder, draft.createdAt, newId()), draft, (reason) =>
          emit({ type: 'notice', kind: 'error', message: `the run is not kept safe while it goes on: ${reason}` }),
        );
        onJournal(journal);
        this.#draft = draft;
        this.#patch({ phase: signal.aborted ? 'stopping' : 'running', stage: null });
        emit({ type: 'run_started', draft });
      },
      onEvent: (event) => {
        journal?.append(event);
        if (signal.aborted) this.#watch();
        this.#showStep(event);
        emit({ type: 'run_event', event });
      },
    });
  }

  async #keep(name: string, ending: Ending, record: TraceRecord, journal: RunJournal | undefined): Promise<RunEnded> {
    if (record.runs.length === 0) {
      if (journal !== undefined) await dispose(journal);
      return {
        type: 'run_ended',
        id: null,
        ...(ending.status === 'failed' ? errorOf(failure(ending)) : NOTHING_KEPT),
      };
    }
    journal?.close();
    const { id, stored } = await this.#options.tabs.addRun(name, record);
    if (stored && journal !== undefined) await dispose(journal);
    return { type: 'run_ended', id, ...noticeOf(ending) };
  }

  #showStep(event: RunEvent): void {
    if (event.type !== 'step') return;
    this.#patch({ step: { index: event.index, count: event.count, words: stepName(event.step) } });
  }

  #watch(): void {
    clearTimeout(this.#watchdog);
    const { cancelTimeoutMs, worker } = this.#options;
    this.#watchdog = setTimeout(() => {
      worker.drop(`did not stop when it was told to and was ended after ${ms(cancelTimeoutMs)} without any progress`);
    }, cancelTimeoutMs);
  }

  #patch(change: Partial<RunState>): void {
    if (this.#state !== null) this.#set({ ...this.#state, ...change });
  }

  #set(state: RunState | null): void {
    this.#state = state;
    this.#options.changed();
  }
}

/** What is said of the end of a run, and whether it is a fault. */
type Notice = Pick<RunEnded, 'kind' | 'notice'>;

const NOTHING_KEPT: Notice = {
  kind: 'info',
  notice: 'stopped before the first request had a token: there is nothing to keep',
};

function errorOf(notice: string): Notice {
  return { kind: 'error', notice };
}

function noticeOf(ending: Ending): Notice {
  switch (ending.status) {
    case 'complete':
      return { kind: 'info', notice: null };
    case 'cancelled':
      return { kind: 'info', notice: 'stopped; what was measured until then is kept' };
    case 'failed':
    case 'partial':
      return errorOf(
        `${failure(ending)}. What was measured until then is kept, and the next run starts the process anew`,
      );
  }
}

function failure(ending: Ending): string {
  return `the run broke off: ${ending.reason ?? 'the reason is not known'}`;
}

/** One that cannot be removed is opened again at the next start: better twice than a run that never ends. */
async function dispose(journal: RunJournal): Promise<void> {
  journal.close();
  await removeJournal(journal.path).catch(() => undefined);
}
