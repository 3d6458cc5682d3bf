import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEMO_MODEL, SAMPLE_RECORD } from '../../main/app-paths.ts';
import { openProfiler } from '../../main/profiler.ts';
import type { Dialogs, Profiler, ProfilerOptions } from '../../main/profiler-contract.ts';
import { forkNodeWorker, type WorkerHost } from '../../main/worker-process.ts';
import type { HostEvent, OpenRecord, OpenRecordText, Outcome } from '../../shared/host.ts';
import { openedText } from '../../shared/open-record-text.ts';
import { type Plan, type PlanInput, planSchema } from '../../shared/plan.ts';

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'tokenscope-test-'));
}

/** Events as they arrive, and a way to wait for one without looking at the clock. */
export class EventLog {
  readonly all: HostEvent[] = [];
  readonly #waiting = new Set<() => void>();

  readonly add = (event: HostEvent): void => {
    this.all.push(event);
    for (const look of [...this.#waiting]) look();
  };

  of<K extends HostEvent['type']>(type: K): Extract<HostEvent, { type: K }>[] {
    return this.all.filter((event): event is Extract<HostEvent, { type: K }> => event.type === type);
  }

  /** The first event after the first `after` ones that fits; those that have come already count. */
  next(fits: (event: HostEvent) => boolean, after = 0): Promise<HostEvent> {
    return new Promise((resolve) => {
      const look = () => {
        const found = this.all.slice(after).find(fits);
        if (found === undefined) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  async ended(after = 0): Promise<Extract<HostEvent, { type: 'run_ended' }>> {
    const event = await this.next(({ type }) => type === 'run_ended', after);
    if (event.type !== 'run_ended') throw new Error('unreachable');
    return event;
  }

  /** Waits until so many tokens have been told. */
  async tokens(count = 1): Promise<void> {
    await this.next(() => this.#told() >= count);
  }

  #told(): number {
    return this.of('run_event').reduce((sum, { event }) => sum + (event.type === 'tokens' ? event.ids.length : 0), 0);
  }
}

export interface TestProfiler {
  profiler: Profiler;
  events: EventLog;
  dataDirectory: string;
  /** What the dialogs answer next. */
  choose: { open?: string | undefined; save?: string | undefined; folder?: string | undefined };
  /** The workers that were started, in order. */
  workers: WorkerHost[];
}

/** The application core with the real worker and a data directory of its own. */
export async function openTestProfiler(options: Partial<ProfilerOptions> = {}): Promise<TestProfiler> {
  const dataDirectory = options.dataDirectory ?? join(temporaryFolder(), 'data');
  const choose: TestProfiler['choose'] = {};
  const dialogs: Dialogs = {
    openRecord: () => Promise.resolve(choose.open),
    saveRecord: () => Promise.resolve(choose.save),
    openFolder: () => Promise.resolve(choose.folder),
    saveExport: () => Promise.resolve(choose.save),
  };
  const workers: WorkerHost[] = [];
  const fork = options.forkWorker ?? (() => forkNodeWorker());
  const profiler = await openProfiler({
    version: '0.0.0',
    host: 'browser',
    demoModel: DEMO_MODEL,
    sampleRecord: SAMPLE_RECORD,
    dialogs,
    ...options,
    dataDirectory,
    forkWorker: () => {
      const host = fork();
      workers.push(host);
      return host;
    },
  });
  const events = new EventLog();
  profiler.subscribe(events.add);
  return { profiler, events, dataDirectory, choose, workers };
}

/** A plan of one run on one thread. */
export function plan(change: Partial<PlanInput> = {}): Plan {
  return planSchema.parse({
    name: 'test',
    threads: 1,
    warmup: null,
    runs: [{ name: 'short', prompt: 'Explain a cache.', repeats: 2 }],
    ...change,
  });
}

/** Long enough that a test is always in the middle of it: many samples of many tokens. */
export function longPlan(): Plan {
  return plan({ runs: [{ name: 'long', prompt: 'Explain a cache.', repeats: 1000, max_new_tokens: 400 }] });
}

/** The value of an answer that is expected to be one. */
export function valueOf<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(`refused: ${outcome.error.message}`);
  return outcome.value;
}

/** The record of an answer, whichever way it was handed over. */
export function openedOf(outcome: Outcome<OpenRecord | OpenRecordText>): OpenRecord {
  const opened = valueOf(outcome);
  return 'json' in opened ? openedText(opened, new TextDecoder().decode(opened.json)) : opened;
}

export function messageOfOutcome(outcome: Outcome<unknown>): string {
  if (outcome.ok) throw new Error('was expected to be refused');
  return outcome.error.message;
}
