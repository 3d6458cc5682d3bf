import type { Lane } from '../trace/lane.ts';

/** The tokens with the longest intervals before them, the longest first; the wait does not count. */
export function slowestTokens(lane: Lane, limit: number): number[] {
  const slowest: number[] = [];
  for (let token = 1; token < lane.count; token += 1) {
    const interval = lane.intervals[token] ?? 0;
    const last = slowest.at(-1);
    if (slowest.length === limit && last !== undefined && interval <= (lane.intervals[last] ?? 0)) continue;
    let place = slowest.length;
    while (place > 0 && (lane.intervals[slowest[place - 1] ?? 0] ?? 0) < interval) place -= 1;
    slowest.splice(place, 0, token);
    if (slowest.length > limit) slowest.pop();
  }
  return slowest;
}
