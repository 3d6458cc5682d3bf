import { PACE } from '../../shared/pace.ts';
import type { Lane } from '../trace/lane.ts';

export interface IntervalData {
  /** Token numbers, from 2 on, since the first token has a wait and no interval. */
  readonly x: number[];
  /** A column for each lane, as long as `x`. */
  readonly lanes: (number | null)[][];
  readonly stalls: readonly { readonly x: number; readonly y: number }[];
  /** Several tokens share a point: the one with the longest interval stands for them. */
  readonly thinned: boolean;
}

/** Intervals by token number for at most `points` points on the axis. The longest of a bucket is kept, so no stall is. */
export function intervalData(lanes: readonly Lane[], points: number): IntervalData {
  const longest = lanes.reduce((most, lane) => Math.max(most, lane.count), 0);
  const total = Math.max(0, longest - 1);
  const bucket = Math.max(1, Math.ceil(total / points));
  const size = Math.ceil(total / bucket);
  const x = Array.from({ length: size }, (_, index) => index * bucket + 2);
  const stalls: { x: number; y: number }[] = [];
  const columns = lanes.map((lane) =>
    x.map((number): number | null => {
      let highest: number | null = null;
      let stalled = false;
      for (let token = number - 1; token < Math.min(lane.count, number - 1 + bucket); token += 1) {
        const interval = lane.intervals[token] ?? 0;
        if (highest === null || interval > highest) highest = interval;
        if (lane.pace[token] === PACE.stall) stalled = true;
      }
      if (stalled && highest !== null) stalls.push({ x: number, y: highest });
      return highest;
    }),
  );
  return { x, lanes: columns, stalls, thinned: bucket > 1 };
}
