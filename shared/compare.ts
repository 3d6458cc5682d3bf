import { BOOTSTRAP_METHOD, CONFIDENCE, type Interval, bootstrap } from './bootstrap.ts';
import { type Comparability, type RunSource, compareSettings } from './comparability.ts';
import { type OutputComparison, compareOutput } from './compare-output.ts';
import { type Pool, poolOf } from './pool.ts';
import { randomStream } from './random-stream.ts';
import { summarizeRun } from './run-summary.ts';
import { PERCENTILE_METHOD, mean, roundTo3 } from './statistics.ts';
import type { RunSummary } from './summary.ts';
import { type Verdict, samplesNeeded, verdictOf } from './verdict.ts';

/** Two runs side by side. Differences are b - a and ratios b / a; swapping the two mirrors every figure. */
export interface Comparison extends Comparability {
  readonly a: string;
  readonly b: string;
  readonly output: OutputComparison;
  readonly metrics: readonly MetricComparison[];
  /** Null where nothing was computed beyond the figures of each side. */
  readonly method: ComparisonMethod | null;
}

export interface ComparisonMethod {
  readonly interval: string;
  readonly confidence: number;
  readonly resamples: number;
  readonly seed: number;
  readonly unit: string;
  readonly percentiles: string;
}

export interface MetricComparison {
  readonly metric: MetricName;
  readonly label: string;
  readonly unit: 'ms' | 'tokens/s';
  readonly better: 'lower' | 'higher';
  /** Null where the run has no such figure. */
  readonly a: number | null;
  readonly b: number | null;
  /** Null, as all that follows from it, where the two are not comparable. */
  readonly difference: number | null;
  readonly ratio: number | null;
  /** Of the difference; null when a side has fewer than two samples. */
  readonly interval: Interval | null;
  readonly ratio_interval: Interval | null;
  readonly samples: { readonly a: number; readonly b: number };
  /** Null unless the two are comparable: without that no verdict may be given. */
  readonly verdict: Verdict | null;
  /** About how many samples on each side a difference of this size needs; null where none can be told. */
  readonly samples_needed: number | null;
}

export type MetricName = 'ttft_ms' | 'tpot_ms' | 'itl_p50_ms' | 'itl_p95_ms' | 'itl_p99_ms' | 'decode_tokens_per_s';

/** Metrics that come from the same resamples. */
interface Family {
  /** The values of each sample of the run that has any. */
  readonly values: (source: RunSource) => number[][];
  readonly figure?: (value: number) => number;
  readonly metrics: readonly {
    readonly metric: MetricName;
    readonly label: string;
    readonly share: number;
    readonly unit?: 'tokens/s';
    readonly read: (summary: RunSummary) => number | null | undefined;
  }[];
}

const paces = ({ run }: RunSource) =>
  run.samples.flatMap(({ itl_ms: intervals }) => (intervals.length === 0 ? [] : [[mean(intervals)]]));

const FAMILIES: readonly Family[] = [
  {
    values: ({ run }) => run.samples.map(({ ttft_ms: ttft }) => [ttft]),
    metrics: [{ metric: 'ttft_ms', label: 'TTFT', share: 0.5, read: (of) => of.ttft_ms.median }],
  },
  { values: paces, metrics: [{ metric: 'tpot_ms', label: 'TPOT', share: 0.5, read: (of) => of.tpot_ms?.median }] },
  {
    // Whole samples are drawn, each with all its intervals: with 30 samples 94% to 95% of such intervals hold the true
    // difference, at p50, p95 and p99 alike. Drawing intervals within the samples as well counts their spread twice, and
    // up to 99.7% do (test/bench/coverage.bench.ts).
    values: ({ run }) => run.samples.flatMap(({ itl_ms: own }) => (own.length === 0 ? [] : [own])),
    metrics: [
      { metric: 'itl_p50_ms', label: 'ITL p50', share: 0.5, read: (of) => of.itl_ms?.p50 },
      { metric: 'itl_p95_ms', label: 'ITL p95', share: 0.95, read: (of) => of.itl_ms?.p95 },
      { metric: 'itl_p99_ms', label: 'ITL p99', share: 0.99, read: (of) => of.itl_ms?.p99 },
    ],
  },
  {
    // At the median TPOT, as the summary gives it.
    values: paces,
    figure: (tpot) => 1000 / tpot,
    metrics: [
      {
        metric: 'decode_tokens_per_s',
        label: 'tokens/s',
        share: 0.5,
        unit: 'tokens/s',
        read: (of) => of.decode_tokens_per_s,
      },
    ],
  },
];

/** Fixed, so that a comparison gives the same figures each time it is made. */
export const DEFAULT_SEED = 1;

/** Compares two runs of records that were not refused. `a` is the one that `b` is seen from. */
export function compareRuns(a: RunSource, b: RunSource, seed = DEFAULT_SEED): Comparison {
  const comparability = compareSettings(a, b);
  const summaries = { a: summarizeRun(a.run), b: summarizeRun(b.run) };
  const families = FAMILIES.map((family) => compareFamily(family, a, b, summaries, comparability, seed));
  const resamples = families.reduce((least, each) => Math.min(least, each.resamples), Infinity);
  return {
    a: a.run.name,
    b: b.run.name,
    ...comparability,
    output: compareOutput(a.run, b.run),
    metrics: families.flatMap(({ metrics }) => metrics),
    method: {
      interval: BOOTSTRAP_METHOD,
      confidence: CONFIDENCE,
      resamples: Number.isFinite(resamples) ? resamples : 0,
      seed,
      unit: 'samples; for ITL each sample with all its intervals',
      percentiles: PERCENTILE_METHOD,
    },
  };
}

function compareFamily(
  family: Family,
  a: RunSource,
  b: RunSource,
  summaries: { a: RunSummary; b: RunSummary },
  { standing }: Comparability,
  seed: number,
): { metrics: MetricComparison[]; resamples: number } {
  const pools = { a: poolOf(family.values(a)), b: poolOf(family.values(b)) };
  const samples = { a: pools.a.places.length, b: pools.b.places.length };
  const shares = family.metrics.map(({ share }) => share);
  const result =
    standing === 'not comparable' || Math.min(samples.a, samples.b) < 2
      ? null
      : bootstrap({
          ...pools,
          shares,
          unit: 'samples',
          stream: (index) => randomStream(seed, index),
          ...(family.figure === undefined ? {} : { figure: family.figure }),
        });
  const identical = samePool(pools.a, pools.b);
  const metrics = family.metrics.map(({ metric, label, unit, read }, index): MetricComparison => {
    const one = read(summaries.a) ?? null;
    const other = read(summaries.b) ?? null;
    // Without a common question the figures stand side by side, and nothing is made of them.
    const known = one !== null && other !== null && standing !== 'not comparable';
    const difference = known ? roundTo3(other - one) : null;
    const better = unit === 'tokens/s' ? 'higher' : 'lower';
    const interval = known ? rounded(result?.differences[index], roundTo3) : null;
    const evidence = { difference: difference ?? 0, interval, samples, identical, better } as const;
    return {
      metric,
      label,
      unit: unit ?? 'ms',
      better,
      a: one,
      b: other,
      difference,
      ratio: known && one > 0 ? toFigures(other / one) : null,
      interval,
      ratio_interval: known ? rounded(result?.ratios[index], toFigures) : null,
      samples,
      verdict: standing === 'comparable' ? (known ? verdictOf(evidence) : 'none') : null,
      samples_needed: known ? samplesNeeded(evidence) : null,
    };
  });
  return { metrics, resamples: result?.resamples ?? Infinity };
}

/** The same values in the same number of samples: what a record compared with itself gives. */
function samePool(a: Pool, b: Pool): boolean {
  return (
    a.places.length === b.places.length &&
    a.sorted.length === b.sorted.length &&
    a.sorted.every((value, index) => value === b.sorted[index])
  );
}

function rounded(interval: Interval | null | undefined, round: (value: number) => number): Interval | null {
  if (interval === null || interval === undefined) return null;
  return { low: round(interval.low), high: round(interval.high) };
}

/** Ratios keep six significant figures. */
function toFigures(value: number): number {
  return Number(value.toPrecision(6));
}
