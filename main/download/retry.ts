import { TokenscopeError } from '../../shared/errors.ts';
import type { DownloadServices } from './services.ts';

/** Attempts in a row that bring nothing new, before a download gives up. Waits add up to about half a minute. */
export const MOST_ATTEMPTS = 6;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;
/** A server may ask for a longer wait, up to this one; past it people are better served by a message. */
export const LONGEST_RETRY_AFTER_MS = 300_000;
/** A connection on which no byte arrives for so long is cut and made anew. */
export const STALL_MS = 30_000;

/** Something that may well work when it is tried again. */
export class Transient extends Error {
  readonly retryAfterMs: number;
  constructor(reason: string, retryAfterMs = 0) {
    super(reason);
    this.name = 'Transient';
    this.retryAfterMs = retryAfterMs;
  }
}

/** Counts the attempts that brought nothing and waits between them: ever longer, and never all clients at once. */
export class Retry {
  readonly #services: DownloadServices;
  readonly #what: string;
  readonly #onWait: (words: string) => void;
  #failures = 0;

  constructor(services: DownloadServices, what: string, onWait: (words: string) => void) {
    this.#services = services;
    this.#what = what;
    this.#onWait = onWait;
  }

  /** Something new arrived: the next failure is the first one again. */
  progressed(): void {
    this.#failures = 0;
  }

  /** Waits before the next attempt. Rethrows what no attempt can change, and gives up after too many. */
  async after(error: unknown, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!(error instanceof Transient)) throw error;
    this.#failures += 1;
    if (this.#failures >= MOST_ATTEMPTS) {
      throw new TokenscopeError('download', `${MOST_ATTEMPTS} attempts brought nothing, the last: ${error.message}`, {
        path: this.#what,
        remedy: 'check the connection and run the download again; what arrived is kept',
      });
    }
    const wait = Math.max(backoff(this.#failures, this.#services.random()), error.retryAfterMs);
    this.#onWait(`${error.message}; trying again in ${Math.ceil(wait / 1000)} s`);
    await this.#services.sleep(wait, signal);
  }
}

/** Milliseconds after the n-th failure: doubled each time, of which a random half is left out. */
export function backoff(failures: number, random: number): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1)) * (0.5 + random / 2);
}

/** Retry-After as milliseconds: seconds or a date. Zero for what cannot be read, and never more than the bound. */
export function retryAfterMs(header: string | undefined, date: number): number {
  if (header === undefined) return 0;
  const text = header.trim();
  const wanted = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - date;
  return Number.isNaN(wanted) ? 0 : Math.min(Math.max(wanted, 0), LONGEST_RETRY_AFTER_MS);
}

/**
 * Runs an exchange over the network and cuts it when nothing arrives for STALL_MS. The work calls `alive` whenever
 * something does. One timer for all bytes: a stall is seen after one to two such spans.
 */
export async function watched<T>(
  services: DownloadServices,
  signal: AbortSignal,
  work: (signal: AbortSignal, alive: () => void) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const cut = new AbortController();
  let beats = 0;
  const watch = async (): Promise<void> => {
    for (;;) {
      const seen = beats;
      await services.sleep(STALL_MS, over.signal);
      if (beats === seen) break;
    }
    cut.abort();
  };
  const watching = watch().catch(() => undefined);
  try {
    return await work(AbortSignal.any([signal, cut.signal]), () => {
      beats += 1;
    });
  } catch (error) {
    signal.throwIfAborted();
    if (cut.signal.aborted && !(error instanceof TokenscopeError))
      throw new Transient(`no byte arrived for ${STALL_MS / 1000} s`);
    throw error;
  } finally {
    over.abort();
    await watching;
  }
}
