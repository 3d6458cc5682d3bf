import type { LaneGroup } from '../trace/lane.ts';

export interface Ecdf {
  /** Milliseconds. */
  readonly x: number[];
  /** For each group, the share of its intervals at or under x, from 0 to 1. */
  readonly shares: (number | null)[][];
  /** Intervals of all groups, and those beyond the axis. */
  readonly total: number;
  readonly beyond: number;
}

/** The axis ends at this multiple of the largest 95th percentile: one stall must not flatten everything. */
const AXIS_END = 1.5;

/** All intervals of a group, ascending. */
export function pooledIntervals(group: LaneGroup): Float64Array {
  const pooled = new Float64Array(group.lanes.reduce((sum, lane) => sum + Math.max(0, lane.count - 1), 0));
  let filled = 0;
  for (const lane of group.lanes) {
    if (lane.count < 2) continue;
    pooled.set(lane.intervals.subarray(1, lane.count), filled);
    filled += lane.count - 1;
  }
  return pooled.sort();
}

/** Empirical distributions on one grid of `points` steps. */
export function ecdf(pools: readonly Float64Array[], p95: readonly (number | null)[], points: number): Ecdf {
  const total = pools.reduce((sum, pool) => sum + pool.length, 0);
  const longest = pools.reduce((most, pool) => Math.max(most, pool.at(-1) ?? 0), 0);
  const usual = p95.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
  const end = Math.min(longest, usual > 0 ? usual * AXIS_END : longest);
  if (total === 0 || !(end > 0)) return { x: [0, 1], shares: pools.map(() => [null, null]), total, beyond: 0 };
  const x = Array.from({ length: points + 1 }, (_, index) => (index / points) * end);
  const shares = pools.map((pool) =>
    x.map((value) => (pool.length === 0 ? null : countUpTo(pool, value) / pool.length)),
  );
  const beyond = pools.reduce((sum, pool) => sum + pool.length - countUpTo(pool, end), 0);
  return { x, shares, total, beyond };
}

/** How many values of a sorted list are at or under `limit`. */
function countUpTo(sorted: Float64Array, limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
