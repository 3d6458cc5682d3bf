import { TokenscopeError } from '../shared/errors.ts';
import type { AppState, DownloadState, ModelDownload } from '../shared/host.ts';
import type { HubAccess } from './download/hub-endpoint.ts';
import type { ModelList } from './model-list.ts';

export interface DownloadControlOptions {
  models: ModelList;
  changed: () => void;
  access: HubAccess | undefined;
}

/** Downloads models into our own folder, one at a time, and never without being asked. */
export class DownloadControl {
  readonly #options: DownloadControlOptions;
  #state: AppState['download'] = null;
  #stop: AbortController | undefined;
  #ended: Promise<unknown> = Promise.resolve();

  constructor(options: DownloadControlOptions) {
    this.#options = options;
  }

  get state(): AppState['download'] {
    return this.#state;
  }

  /**
   * Resolves with the model's id, or undefined if it was cancelled. Whatever arrived is kept and on the list, so that the same
   * request goes on from there. Throws a `download` or `file` error.
   */
  async start(request: ModelDownload): Promise<{ id: string } | undefined> {
    if (this.#state !== null) {
      throw new TokenscopeError('argument', `a download is going on already: ${this.#state.model}`, {
        remedy: 'wait for its end or cancel it',
      });
    }
    const { models, access } = this.#options;
    const stop = new AbortController();
    const name = folderNameFor(request);
    this.#stop = stop;
    this.#set({ ...request, resolved: null, progress: null });
    const update = (change: Partial<DownloadState>) => {
      if (this.#state !== null) this.#set({ ...this.#state, ...change });
    };
    try {
      // Loaded when somebody downloads: with it come https and TLS, which the start need not wait for.
      const running = import('./model-download.ts').then(({ downloadModel }) =>
        downloadModel(
          { ...request, destination: models.ownPath(name), force: false },
          {
            signal: stop.signal,
            onResolved: (resolved) => update({ resolved }),
            onProgress: (progress) => update({ progress: { ...progress } }),
            ...(access === undefined ? {} : { access }),
          },
        ),
      );
      this.#ended = running.catch(() => undefined);
      await running;
      return { id: await models.addOwn(name) };
    } catch (error) {
      await models.noticeOwn(name);
      if (stop.signal.aborted && !(error instanceof TokenscopeError)) return undefined;
      throw error;
    } finally {
      this.#stop = undefined;
      this.#set(null);
    }
  }

  cancel(): void {
    if (this.#stop === undefined) throw new TokenscopeError('argument', 'no model is being downloaded');
    this.#stop.abort();
  }

  async idle(): Promise<void> {
    await this.#ended;
  }

  #set(state: AppState['download']): void {
    this.#state = state;
    this.#options.changed();
  }
}

/** A folder for each model, variant and revision: two of them never share their files. */
function folderNameFor({ model, revision, variant }: ModelDownload): string {
  const commit = /^[0-9a-f]{40}$/.test(revision) ? revision.slice(0, 12) : revision;
  const plain = [model.replace('/', '--'), variant, commit].join('--').replaceAll(/[^A-Za-z0-9._-]+/g, '-');
  return plain.replace(/^[-.]+/, '').slice(0, 150);
}
