import { type Pool, type ResamplingUnit, drawWeights, weightedPercentiles } from './pool.ts';
import type { RandomStream } from './random-stream.ts';
import { ascending } from './statistics.ts';

/**
 * The percentile bootstrap for the difference of two medians or percentiles. It is the method that Wilcox recommends
 * for comparing medians (Introduction to Robust Estimation and Hypothesis Testing, chapter 5): unlike the interval of a
 * single median, that of a difference keeps its promise with few samples. test/bench/coverage.bench.ts measures it:
 * between 95% and 98% of the intervals hold the true difference from 5 samples on, for normal,
 * log-normal and two-peaked times.
 */
export const BOOTSTRAP_METHOD = 'percentile bootstrap of the difference';

export const CONFIDENCE = 0.95;

/** Each round gives two resampled differences; more rounds move the ends by less than the noise of the samples. */
const ROUNDS = 2000;
/** Values walked over in all: bounds the time for runs of many tokens to about a second. */
const MAX_WORK = 4e8;
const MIN_ROUNDS = 200;

export interface Interval {
  readonly low: number;
  readonly high: number;
}

export interface BootstrapResult {
  /** One for each share asked for; null where a resample has no finite figure. */
  readonly differences: readonly (Interval | null)[];
  /** Of b / a; null where a resample of either is 0. */
  readonly ratios: readonly (Interval | null)[];
  readonly resamples: number;
}

export interface BootstrapRequest {
  readonly a: Pool;
  readonly b: Pool;
  /** Percentiles to compare, from 0 to 1 and ascending; 0.5 is the median. */
  readonly shares: readonly number[];
  readonly unit: ResamplingUnit;
  /** The same stream for the same number, each time it is asked for. */
  readonly stream: (index: number) => RandomStream;
  /** Applied to each resampled figure before it is compared: rates are compared as rates. */
  readonly figure?: (value: number) => number;
  readonly rounds?: number;
}

/**
 * Intervals for `b - a` and `b / a`. To swap the two mirrors every end exactly: each pair of random streams is used both ways
 * round, and the ends are order statistics with the same number of differences beyond either.
 */
export function bootstrap(request: BootstrapRequest): BootstrapResult {
  const { a, b, shares, stream } = request;
  const work = 2 * (a.sorted.length + b.sorted.length);
  const rounds = request.rounds ?? Math.max(MIN_ROUNDS, Math.min(ROUNDS, Math.floor(MAX_WORK / work)));
  const differences = shares.map(() => new Float64Array(2 * rounds));
  const ratios = shares.map(() => new Float64Array(2 * rounds));
  const drawA = drawer(a, request);
  const drawB = drawer(b, request);
  for (let round = 0; round < rounds; round += 1) {
    for (const [offset, first, second] of [
      [0, 2 * round, 2 * round + 1],
      [1, 2 * round + 1, 2 * round],
    ] as const) {
      const figuresA = drawA(stream(first));
      const figuresB = drawB(stream(second));
      shares.forEach((_, index) => {
        const one = figuresA[index] ?? 0;
        const other = figuresB[index] ?? 0;
        const place = 2 * round + offset;
        differences[index]?.fill(other - one, place, place + 1);
        ratios[index]?.fill(other / one, place, place + 1);
      });
    }
  }
  return {
    differences: differences.map((values) => (values.every(Number.isFinite) ? middle(values) : null)),
    ratios: ratios.map((values) => (values.every(isRatio) ? middle(values) : null)),
    resamples: 2 * rounds,
  };
}

function drawer(pool: Pool, request: BootstrapRequest): (random: RandomStream) => number[] {
  const weights = new Uint32Array(pool.sorted.length);
  const { figure } = request;
  return (random) => {
    // A resample without a value would have no percentile: only samples that have values are in the pool.
    const total = drawWeights(pool, request.unit, random, weights);
    const found = weightedPercentiles(pool.sorted, weights, total, request.shares);
    return figure === undefined ? found : found.map(figure);
  };
}

function isRatio(value: number): boolean {
  return Number.isFinite(value) && value > 0;
}

/** The values between which the middle 95% lie. */
function middle(values: Float64Array): Interval {
  const sorted = ascending(values);
  const beyond = Math.floor(((1 - CONFIDENCE) / 2) * sorted.length);
  return { low: sorted[beyond] ?? 0, high: sorted[sorted.length - 1 - beyond] ?? 0 };
}
