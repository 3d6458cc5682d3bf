import type { StopReason } from '../../shared/record.ts';
import type { RunSummary } from '../../shared/summary.ts';

/** One request as the timeline draws it. Times in milliseconds from the start of the request. */
export interface Lane {
  readonly key: string;
  /** Index of its group in the trace, and its place there. */
  readonly group: number;
  readonly sample: number;
  readonly promptTokens: number | null;
  /** Null when it was not recorded, or does not fit into the wait. */
  readonly tokenizationMs: number | null;
  /** Time inside the runtime for each chunk of the prompt; null when it was not recorded. */
  readonly chunks: readonly number[] | null;
  /** Tokens so far. The arrays below may be longer while a request is running. */
  readonly count: number;
  /** When token i was available; `at[0]` is the wait. */
  readonly at: Float64Array;
  /** The interval before token i; `intervals[0]` is the wait. */
  readonly intervals: Float64Array;
  /** How token i came, one of PACE in shared/pace.ts. */
  readonly pace: Uint8Array;
  /** The highest pace in each block of PACE_BLOCK tokens. */
  readonly blocks: Uint8Array;
  readonly stalls: number;
  /** Of the intervals between tokens; null when there is none. */
  readonly medianMs: number | null;
  readonly meanMs: number | null;
  readonly endMs: number;
  readonly ids: readonly number[];
  /** The text of each token, null when it was not recorded. */
  readonly texts: readonly string[] | null;
  /** The whole reply, when it was recorded. */
  readonly text: string | null;
  readonly prompt: string | null;
  readonly cap: number | null;
  readonly cacheTokens: number | null;
  readonly observerMs: number | null;
  /** Undefined while the request is running. */
  readonly stopReason: StopReason | null | undefined;
}

/** Lanes that belong together: the samples of a run, or the first request after loading. */
export interface LaneGroup {
  readonly name: string;
  readonly cold: boolean;
  readonly lanes: readonly Lane[];
  readonly summary: RunSummary | null;
  /** How many lanes the group is to have, while they are still being measured. */
  readonly planned: number | null;
}

export interface Trace {
  readonly groups: readonly LaneGroup[];
  /** The end of the longest lane. */
  readonly endMs: number;
}

export const EMPTY_TRACE: Trace = { groups: [], endMs: 0 };

export const PACE_BLOCK = 64;

/** The wait for the first token; null while there is none. */
export function waitOf(lane: Lane): number | null {
  return lane.count > 0 ? (lane.at[0] ?? null) : null;
}

/** Fills `blocks` from token `from` on. */
export function raiseBlocks(blocks: Uint8Array, pace: Uint8Array, from: number, count: number): void {
  for (let index = from; index < count; index += 1) {
    const block = Math.floor(index / PACE_BLOCK);
    const value = pace[index] ?? 0;
    if (value > (blocks[block] ?? 0)) blocks[block] = value;
  }
}

/** The highest pace among the tokens from `from` up to, not including, `to`. */
export function highestPace(lane: Lane, from: number, to: number): number {
  let highest = 0;
  let index = from;
  while (index < to) {
    if (index % PACE_BLOCK === 0 && index + PACE_BLOCK <= to) {
      highest = Math.max(highest, lane.blocks[index / PACE_BLOCK] ?? 0);
      index += PACE_BLOCK;
    } else {
      highest = Math.max(highest, lane.pace[index] ?? 0);
      index += 1;
    }
  }
  return highest;
}

/** The first token that was available at or after `time`: `count` when there is none. */
export function firstTokenAt(lane: Lane, time: number): number {
  let low = 0;
  let high = lane.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lane.at[middle] ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The text of a token, or its id where the record holds no texts. */
export function tokenText(lane: Lane, token: number): string {
  return lane.texts?.[token] ?? `#${lane.ids[token] ?? '?'}`;
}
