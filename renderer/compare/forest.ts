import type { MetricComparison } from '../../shared/compare.ts';

/** Where an interval lies on an axis that all metrics share: as shares of A, so that 10% is as wide in each row. */
export interface ForestRow {
  readonly low: number;
  readonly high: number;
  readonly middle: number;
}

/** Null where no interval was computed, or A gives nothing to take a share of: then nothing is drawn. */
export function forestRow({ a, difference, interval }: MetricComparison): ForestRow | null {
  if (a === null || a <= 0 || difference === null || interval === null) return null;
  return { low: interval.low / a, high: interval.high / a, middle: difference / a };
}

/** Where an interval goes beyond, it is cut and gets an arrow: a wide one is not to press the others to a point. */
const REACHES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1] as const;

/** The end of the axis on both sides of 0: a round share that holds every interval, at most as much as A itself. */
export function forestReach(rows: readonly (ForestRow | null)[]): number {
  const widest = rows.reduce(
    (most, row) => (row === null ? most : Math.max(most, Math.abs(row.low), Math.abs(row.high), Math.abs(row.middle))),
    0,
  );
  return REACHES.find((reach) => reach >= widest) ?? 1;
}

/** Cuts a share to the axis; `beyond` tells on which side it lay outside. */
export function onAxis(share: number, reach: number): { share: number; beyond: boolean } {
  return { share: Math.max(-reach, Math.min(reach, share)), beyond: Math.abs(share) > reach };
}
