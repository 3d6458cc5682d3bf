import { stallIndices } from '../run-summary.ts';

/** Points of a line in pixels: x from the left, y upwards from the bottom. */
export interface IntervalLine {
  readonly points: readonly (readonly [x: number, y: number])[];
  readonly stalls: readonly (readonly [x: number, y: number])[];
}

/**
 * The intervals of a sample as a line, `width` wide for `longest` intervals and `height` high for `top` milliseconds.
 * Where several share a pixel its highest and its lowest are drawn, so that no stall is lost.
 */
export function intervalLine(
  intervals: readonly number[],
  box: { readonly width: number; readonly height: number; readonly longest: number; readonly top: number },
): IntervalLine {
  const { width, height, longest, top } = box;
  const step = longest > 1 ? width / (longest - 1) : 0;
  const toY = (value: number): number => (top > 0 ? (value / top) * height : 0);
  const stalled = new Map<number, number>();
  for (const index of stallIndices(intervals)) {
    const x = Math.round(index * step);
    stalled.set(x, Math.max(stalled.get(x) ?? 0, toY(intervals[index] ?? 0)));
  }
  return { points: step >= 1 || longest <= 1 ? each() : buckets(), stalls: [...stalled] };

  function each(): [number, number][] {
    return intervals.map((value, index) => [index * step, toY(value)]);
  }

  function buckets(): [number, number][] {
    const highest = new Map<number, number>();
    const lowest = new Map<number, number>();
    intervals.forEach((value, index) => {
      const x = Math.round(index * step);
      highest.set(x, Math.max(highest.get(x) ?? 0, value));
      lowest.set(x, Math.min(lowest.get(x) ?? Infinity, value));
    });
    return [...highest].flatMap(([x, high]): [number, number][] => {
      const low = lowest.get(x) ?? high;
      return low === high
        ? [[x, toY(high)]]
        : [
            [x, toY(high)],
            [x, toY(low)],
          ];
    });
  }
}
