import type { Interval } from './bootstrap.ts';
import { count } from './units.ts';

/**
 * What may be said of a difference. `too few samples`: with so few that even a clear difference could be chance;
 * `none`: no such figure on one side.
 */
export type Verdict = 'faster' | 'slower' | 'not distinguishable' | 'too few samples' | 'none';

/**
 * From this many samples on each side a difference may be claimed. With 3 and 3, every sample of one side lies beyond
 * every sample of the other by chance once in 10 comparisons (2 of the 20 ways to deal 6 ranks), more often than the
 * 1 in 20 that 95% allows; with 5 and 5 once in 126, and from 5 on the intervals hold what they promise.
 */
export const MIN_SAMPLES = 5;

/** More than this is not a number of samples to plan for. */
const MOST_SAMPLES = 10_000;

export interface Evidence {
  /** b - a, in the metric's unit. */
  readonly difference: number;
  readonly interval: Interval | null;
  readonly samples: { readonly a: number; readonly b: number };
  /** Both sides hold the same figures. */
  readonly identical: boolean;
  readonly better: 'lower' | 'higher';
}

/** The verdict on b, seen from a. */
export function verdictOf({ difference, interval, samples, identical, better }: Evidence): Verdict {
  if (identical) return 'not distinguishable';
  if (interval === null || Math.min(samples.a, samples.b) < MIN_SAMPLES) return 'too few samples';
  if (interval.low <= 0 && interval.high >= 0) return 'not distinguishable';
  return difference < 0 === (better === 'lower') ? 'faster' : 'slower';
}

/**
 * About how many samples on each side would tell a difference as large as the observed one from chance, 4 times out of
 * 5: the interval's width shrinks with the root of the number, and must come to lie (1.96 + 0.84) / 1.96 times its half
 * width from 0. Null where no number can be given: nothing differs, or nothing is known of the spread.
 */
export function samplesNeeded({ difference, interval, samples }: Evidence): number | null {
  if (interval === null || difference === 0) return null;
  const half = (interval.high - interval.low) / 2;
  const each = 2 / (1 / samples.a + 1 / samples.b);
  const needed = each * (((1.96 + 0.84) / 1.96) * (half / difference)) ** 2;
  return Math.max(MIN_SAMPLES, Math.min(MOST_SAMPLES + 1, Math.ceil(needed)));
}

/** The number in words: "at least 5", "about 40", "more than 10,000". */
export function neededWords(needed: number | null): string {
  if (needed === null) return `at least ${MIN_SAMPLES} samples each`;
  if (needed > MOST_SAMPLES) return `more than ${count(MOST_SAMPLES)} samples each`;
  return needed === MIN_SAMPLES ? `at least ${MIN_SAMPLES} samples each` : `about ${count(needed)} samples each`;
}
