import { TokenscopeError } from '../shared/errors.ts';
import type { AppState, ModelVerification } from '../shared/host.ts';
import type { ModelList } from './model-list.ts';
import { verifyModel } from './model-verify.ts';

/** The state is told after so many bytes and not after each block. */
const TELL_EVERY_BYTES = 16 << 20;

/** Reads whole models to tell whether they are as they were downloaded, one at a time. */
export class ModelVerifier {
  readonly #models: ModelList;
  readonly #changed: () => void;
  #state: AppState['verification'] = null;

  constructor({ models, changed }: { models: ModelList; changed: () => void }) {
    this.#models = models;
    this.#changed = changed;
  }

  get state(): AppState['verification'] {
    return this.#state;
  }

  /** Throws a `model` error for a folder that no download wrote. A model with a wrong file is refused from then on. */
  async verify(id: string): Promise<ModelVerification> {
    if (this.#state !== null) throw new TokenscopeError('argument', 'a model is being verified already');
    const path = this.#models.pathOf(id);
    this.#set({ model: id, done_bytes: 0, total_bytes: 0 });
    let told = 0;
    try {
      const { files, fault } = await verifyModel(path, {
        hashes: true,
        onBytes: (done, total) => {
          if (done - told < TELL_EVERY_BYTES && done < total) return;
          told = done;
          this.#set({ model: id, done_bytes: done, total_bytes: total });
        },
      });
      await this.#models.verified(id, fault);
      return { files: files.map(({ path: file, bytes, problem }) => ({ path: file, bytes, problem })) };
    } finally {
      this.#set(null);
    }
  }

  #set(state: AppState['verification']): void {
    this.#state = state;
    this.#changed();
  }
}
