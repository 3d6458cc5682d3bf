import { startWorker, type WorkerHost, type WorkerProcess } from './worker-process.ts';

/**
 * The inference process that is kept between runs, so that a model is loaded once. It is started when first needed; one
 * that has died or was ended is replaced by the next.
 */
export class WarmWorker {
  readonly #fork: () => WorkerHost;
  #worker: WorkerProcess | undefined;

  constructor(fork: () => WorkerHost) {
    this.#fork = fork;
  }

  get(): WorkerProcess {
    if (this.#worker === undefined || this.#worker.exit !== undefined) this.#worker = startWorker(this.#fork());
    return this.#worker;
  }

  /** Ends the process at once; `reason` is what a job that is going on gives as its own: "did not answer for 10 s". */
  drop(reason: string): void {
    this.#worker?.kill(reason);
    this.#worker = undefined;
  }

  async quit(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.quit();
  }
}
