import { stat } from 'node:fs/promises';
import { TokenscopeError } from '../shared/errors.ts';
import type { AppState } from '../shared/host.ts';
import type { FromWorker } from '../shared/messages.ts';
import { parameterCount, shapeOfConfig } from '../shared/model-shape.ts';
import { PRESETS, presetNamed } from '../shared/presets.ts';
import { shortCount } from '../shared/units.ts';
import type { ModelList } from './model-list.ts';
import { startWorker, type WorkerHost, type WorkerProcess } from './worker-process.ts';

/** Weights are written as float32. */
const BYTES_PER_PARAMETER = 4;
/** The same weights for everybody, so that figures can be repeated. */
const SEED = 1;

export interface SynthesisOptions {
  models: ModelList;
  demoModel: string;
  forkWorker: () => WorkerHost;
  cancelTimeoutMs: number;
  changed: () => void;
}

/** The shapes on offer, smallest first, with the size on disk that each will have. */
export function presetEntries(): AppState['presets'] {
  return PRESETS.map(({ name, title, description, config }) => {
    const parameters = parameterCount(shapeOfConfig(config));
    return {
      name,
      label: `${title}, ${shortCount(parameters)} parameters`,
      description,
      bytes: parameters * BYTES_PER_PARAMETER,
    };
  }).toSorted((a, b) => a.bytes - b.bytes);
}

/** Writes models of known shapes into our own folder, one at a time, in a process of its own. */
export class Synthesis {
  readonly #options: SynthesisOptions;
  #state: AppState['synthesis'] = null;
  #worker: WorkerProcess | undefined;
  #watchdog: NodeJS.Timeout | undefined;
  #ended: Promise<unknown> = Promise.resolve();

  constructor(options: SynthesisOptions) {
    this.#options = options;
  }

  get state(): AppState['synthesis'] {
    return this.#state;
  }

  /** Resolves with the model's id, or undefined if it was cancelled. Throws if one is being written already. */
  async start(name: string): Promise<{ id: string } | undefined> {
    if (this.#state !== null) {
      throw new TokenscopeError('argument', `a model is being written already: ${this.#state.preset}`);
    }
    if (presetNamed(name) === undefined) throw new TokenscopeError('argument', `there is no shape "${name}"`);
    this.#set({ preset: name, done_bytes: 0, total_bytes: 0 });
    try {
      if (await exists(this.#options.models.ownPath(name))) return { id: await this.#options.models.addOwn(name) };
      const writing = this.#write(name);
      this.#ended = writing.catch(() => undefined);
      return await writing;
    } finally {
      this.#set(null);
    }
  }

  async #write(name: string): Promise<{ id: string } | undefined> {
    const { models, forkWorker, demoModel } = this.#options;
    const out = models.ownPath(name);
    const worker = startWorker(forkWorker());
    this.#worker = worker;
    try {
      const request = { preset: name, config: null, out, seed: SEED, force: false, tokenizer_from: demoModel };
      worker.post({ type: 'synthesize', request });
      const answer = await worker.until(isEnd, (message) => {
        if (message.type !== 'synthesizing') return;
        this.#set({ preset: name, done_bytes: message.done_bytes, total_bytes: message.total_bytes });
      });
      return answer.type === 'synthesized' ? { id: await models.addOwn(name) } : undefined;
    } finally {
      clearTimeout(this.#watchdog);
      this.#watchdog = undefined;
      this.#worker = undefined;
      if (worker.exit === undefined) await worker.quit();
    }
  }

  cancel(): void {
    if (this.#worker === undefined) throw new TokenscopeError('argument', 'no model is being written');
    const worker = this.#worker;
    worker.post({ type: 'cancel' });
    this.#watchdog ??= setTimeout(
      () => worker.kill('did not stop when it was told to and was ended'),
      this.#options.cancelTimeoutMs,
    );
  }

  /** Waits for the end of a synthesis, if there is one. */
  async idle(): Promise<void> {
    await this.#ended;
  }

  #set(state: AppState['synthesis']): void {
    this.#state = state;
    this.#options.changed();
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

type End = Extract<FromWorker, { type: 'synthesized' | 'cancelled' }>;

function isEnd(message: FromWorker): message is End {
  return message.type === 'synthesized' || message.type === 'cancelled';
}
