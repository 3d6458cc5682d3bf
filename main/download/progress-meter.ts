import type { DownloadProgress } from '../../shared/model-download.ts';

/** Progress is told at most so often; more would only be redrawn unseen. */
const INTERVAL_MS = 100;
/** The rate follows a change within about this time: slower than a network's hiccups, faster than a person's patience. */
const SMOOTHING_MS = 4000;

/** Counts bytes and makes progress events of them. */
export class ProgressMeter {
  readonly #now: () => number;
  readonly #emit: (progress: DownloadProgress) => void;
  #phase: DownloadProgress['phase'] = 'resolving';
  #file: DownloadProgress['file'] = null;
  #waiting: string | null = null;
  #finished = 0;
  #total = 0;
  #toldAt = Number.NEGATIVE_INFINITY;
  #rate: number | null = null;
  #measuredAt: number | null = null;
  #sinceMeasured = 0;

  constructor(now: () => number, emit: (progress: DownloadProgress) => void) {
    this.#now = now;
    this.#emit = emit;
  }

  resolving(): void {
    this.#phase = 'resolving';
    this.#tell();
  }

  /** Begins to count the files, of so many bytes in all. */
  start(total: number): void {
    this.#total = total;
    this.#finished = 0;
  }

  /** A file that is there, whole or in part, is read from its beginning. */
  verifying(path: string, bytes: number): void {
    this.#begin('verifying', { path, done_bytes: 0, total_bytes: bytes });
  }

  hashed(bytes: number): void {
    if (this.#file !== null) this.#file.done_bytes += bytes;
    // Time spent reading the disk says nothing of the network.
    this.#measuredAt = null;
    this.#tellNowAndThen();
  }

  downloading(path: string, bytes: number, done: number): void {
    this.#measuredAt ??= this.#now();
    this.#begin('downloading', { path, done_bytes: done, total_bytes: bytes });
  }

  /** So many bytes of the file are there now: more than before, or fewer where it begins anew. */
  at(done: number): void {
    if (this.#file === null) return;
    this.#sinceMeasured += Math.max(0, done - this.#file.done_bytes);
    this.#file.done_bytes = done;
    this.#waiting = null;
    this.#tellNowAndThen();
  }

  finished(bytes: number): void {
    this.#finished += bytes;
    this.#file = null;
    this.#tell();
  }

  waiting(words: string): void {
    this.#waiting = words;
    this.#tell();
  }

  #begin(phase: DownloadProgress['phase'], file: NonNullable<DownloadProgress['file']>): void {
    this.#phase = phase;
    this.#file = file;
    this.#waiting = null;
    this.#tell();
  }

  #tellNowAndThen(): void {
    if (this.#now() - this.#toldAt >= INTERVAL_MS) this.#tell();
  }

  #tell(): void {
    this.#toldAt = this.#now();
    this.#measure();
    const done = this.#finished + (this.#file?.done_bytes ?? 0);
    const rate = this.#rate;
    this.#emit({
      phase: this.#phase,
      file: this.#file === null ? null : { ...this.#file },
      done_bytes: done,
      total_bytes: this.#total,
      bytes_per_second: rate,
      seconds_left: rate === null || rate <= 0 ? null : Math.max(0, this.#total - done) / rate,
      waiting: this.#waiting,
    });
  }

  /** An average in which older spans count ever less, weighted by their length. */
  #measure(): void {
    if (this.#phase !== 'downloading' || this.#measuredAt === null) return;
    const span = this.#now() - this.#measuredAt;
    if (span < INTERVAL_MS) return;
    const current = (this.#sinceMeasured / span) * 1000;
    const weight = this.#rate === null ? 1 : 1 - Math.exp(-span / SMOOTHING_MS);
    this.#rate = (this.#rate ?? 0) + weight * (current - (this.#rate ?? 0));
    this.#measuredAt += span;
    this.#sinceMeasured = 0;
  }
}
