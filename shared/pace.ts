import { stallIndices } from './run-summary.ts';
import { median } from './statistics.ts';

/**
 * How a token came: the first one after the wait, the others seen from the median interval of their sample. Where several
 * share a pixel the highest is shown.
 */
export const PACE = { first: 0, usual: 1, slower: 2, slow: 3, stall: 4 } as const;

/** From these multiples of the sample's median on, an interval counts as slower and as slow. */
const SLOWER = 1.25;
const SLOW = 1.75;

/** The pace of an interval that is not a stall; `middle` is the median of its sample. */
export function paceOf(interval: number, middle: number): number {
  if (interval <= SLOWER * middle) return PACE.usual;
  return interval <= SLOW * middle ? PACE.slower : PACE.slow;
}

/** The pace of each interval of a sample; `middle` is their median, where it is known already. */
export function pacesOf(intervals: readonly number[], middle?: number): Uint8Array {
  const paces = new Uint8Array(intervals.length);
  if (intervals.length === 0) return paces;
  const usual = middle ?? median(intervals);
  intervals.forEach((interval, index) => {
    paces[index] = paceOf(interval, usual);
  });
  for (const index of stallIndices(intervals)) paces[index] = PACE.stall;
  return paces;
}

export function countStalls(paces: Uint8Array): number {
  let count = 0;
  for (const pace of paces) if (pace === PACE.stall) count += 1;
  return count;
}
