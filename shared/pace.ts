import { stallIndices } from './run-summary.ts';
import { median } from './statistics.ts';

/** How a token came, seen from the median interval of its sample. Where several share a pixel the higher one is shown. */
export const PACE = { usual: 0, slower: 1, slow: 2, stall: 3 } as const;

/** From these multiples of the sample's median on, an interval counts as slower and as slow. */
const SLOWER = 1.25;
const SLOW = 1.75;

/** The pace of each interval. */
export function pacesOf(intervals: readonly number[]): Uint8Array {
  const paces = new Uint8Array(intervals.length);
  if (intervals.length === 0) return paces;
  const middle = median(intervals);
  intervals.forEach((interval, index) => {
    paces[index] = interval <= SLOWER * middle ? PACE.usual : interval <= SLOW * middle ? PACE.slower : PACE.slow;
  });
  for (const index of stallIndices(intervals)) paces[index] = PACE.stall;
  return paces;
}
