import { countStalls, PACE, paceOf, pacesOf } from '../../shared/pace.ts';
import { mean, median } from '../../shared/statistics.ts';
import { type Lane, PACE_BLOCK, raiseBlocks } from './lane.ts';

/** Stalls depend on the median, so all tokens are judged anew whenever their number has grown by this factor. */
const REVIEW_GROWTH = 1.1;

/** A request that is running: grows with its tokens, without copying what is there. */
export class GrowingLane implements Lane {
  readonly sample: number;
  readonly cap: number | null;
  count = 0;
  at = new Float64Array(64);
  intervals = new Float64Array(64);
  pace = new Uint8Array(64);
  blocks = new Uint8Array(1);
  stalls = 0;
  medianMs: number | null = null;
  meanMs: number | null = null;
  endMs = 0;
  readonly ids: number[] = [];
  /** Null until the first text is told: a stream may leave them out. */
  texts: string[] | null = null;
  readonly text = null;
  readonly cacheTokens = null;
  readonly observerMs = null;
  readonly chunks = null;
  readonly stopReason = undefined;
  private reviewed = 0;

  constructor(
    readonly key: string,
    readonly group: number,
    readonly promptTokens: number,
    readonly tokenizationMs: number,
    planned: { sample: number; prompt: string | null; cap: number | null },
  ) {
    this.sample = planned.sample;
    this.prompt = planned.prompt;
    this.cap = planned.cap;
  }
  readonly prompt: string | null;

  push(ids: readonly number[], atMs: readonly number[], texts: readonly string[] | null): void {
    this.reserve(this.count + atMs.length);
    const from = this.count;
    atMs.forEach((time, index) => {
      const place = from + index;
      const interval = place === 0 ? time : time - (this.at[place - 1] ?? 0);
      this.at[place] = time;
      this.intervals[place] = interval;
      this.pace[place] = place === 0 ? PACE.first : paceOf(interval, this.medianMs ?? interval);
    });
    for (const id of ids) this.ids.push(id);
    if (texts !== null) {
      this.texts ??= [];
      for (const text of texts) this.texts.push(text);
    }
    this.count += atMs.length;
    this.endMs = this.at[this.count - 1] ?? 0;
    raiseBlocks(this.blocks, this.pace, from, this.count);
    if (this.count > this.reviewed * REVIEW_GROWTH) this.review();
  }

  private review(): void {
    const intervals = Array.from(this.intervals.subarray(1, this.count));
    if (intervals.length === 0) return;
    this.medianMs = median(intervals);
    this.meanMs = mean(intervals);
    const paces = pacesOf(intervals, this.medianMs);
    this.pace.set(paces, 1);
    this.stalls = countStalls(paces);
    this.blocks.fill(0);
    raiseBlocks(this.blocks, this.pace, 0, this.count);
    this.reviewed = this.count;
  }

  private reserve(count: number): void {
    if (count <= this.at.length) return;
    const size = Math.max(count, this.at.length * 2);
    this.at = grown(this.at, new Float64Array(size));
    this.intervals = grown(this.intervals, new Float64Array(size));
    this.pace = grown(this.pace, new Uint8Array(size));
    this.blocks = grown(this.blocks, new Uint8Array(Math.ceil(size / PACE_BLOCK)));
  }
}

function grown<T extends Float64Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
