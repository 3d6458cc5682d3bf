import { explainRun } from './explain.ts';
import type { Run, Sample } from './record.ts';
import { isTiming } from './refusals.ts';
import { ascending, exactSum, mean, median, medianOfSorted, percentileOfSorted, roundTo3 } from './statistics.ts';
import type { Distribution, RunSummary, Spread, Stall, StallSummary, TimeShares } from './summary.ts';

/** A stall: an interval over 3 times the median of its sample, and over 5 ms more than it (else noise would be one). */
export const STALL_FACTOR = 3;
export const STALL_MARGIN_MS = 5;
export const STALL_RULE = `an interval over ${STALL_FACTOR} times the median of its sample and over ${STALL_MARGIN_MS} ms more than it`;

export const MAX_LISTED_STALLS = 10_000;

/** The figures of one run, whose samples were not refused and of which there is at least one. */
export function summarizeRun(run: Run): RunSummary {
  const { samples } = run;
  const tpots = samples.flatMap((sample) => (sample.itl_ms.length > 0 ? [mean(sample.itl_ms)] : []));
  const tpot = tpots.length > 0 ? spread(tpots) : null;
  const figures = {
    name: run.name,
    n: samples.length,
    prompt_tokens: common(samples.map((sample) => sample.prompt_tokens)),
    output_tokens: ends(samples.map((sample) => sample.generated_tokens)),
    ttft_ms: spread(samples.map((sample) => sample.ttft_ms)),
    tpot_ms: tpot,
    e2e_ms: spread(samples.map((sample) => sample.e2e_ms)),
    itl_ms: distribution(samples),
    decode_tokens_per_s: tpots.length > 0 ? rate(1000, median(tpots)) : null,
    prefill_tokens_per_s: prefillRate(samples),
    shares: timeShares(samples),
    stop_reasons: stopReasons(samples),
    stalls: findStalls(samples),
    longest_wait: longestWait(samples),
  };
  return { ...figures, explanation: explainRun(figures) };
}

/** The intervals of one sample that count as stalls: their indices in `itl_ms`. */
export function stallIndices(intervals: readonly number[]): number[] {
  if (!mayStall(intervals)) return [];
  const middle = median(intervals);
  const found: number[] = [];
  // An index, since a record has millions of intervals: flatMap takes thirty times as long.
  for (let index = 0; index < intervals.length; index += 1) {
    const interval = intervals[index] ?? 0;
    if (interval > STALL_FACTOR * middle && interval > middle + STALL_MARGIN_MS) found.push(index);
  }
  return found;
}

/** False where there is no stall whatever the median: that saves sorting, which takes most of the time. */
function mayStall(intervals: readonly number[]): boolean {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < intervals.length; index += 1) {
    const interval = intervals[index] ?? 0;
    if (interval < least) least = interval;
    if (interval > most) most = interval;
  }
  return most > STALL_FACTOR * least && most > least + STALL_MARGIN_MS;
}

function spread(values: readonly number[]): Spread {
  const sorted = ascending(values);
  return {
    n: sorted.length,
    median: roundTo3(medianOfSorted(sorted)),
    min: roundTo3(sorted.at(0) ?? 0),
    max: roundTo3(sorted.at(-1) ?? 0),
  };
}

function ends(values: readonly number[]): { min: number; max: number } {
  const sorted = ascending(values);
  return { min: sorted.at(0) ?? 0, max: sorted.at(-1) ?? 0 };
}

function common(values: readonly (number | undefined)[]): number | null {
  const [first] = values;
  return first !== undefined && values.every((value) => value === first) ? first : null;
}

function distribution(samples: readonly Sample[]): Distribution | null {
  const pooled = new Float64Array(samples.reduce((total, sample) => total + sample.itl_ms.length, 0));
  let filled = 0;
  for (const sample of samples) {
    pooled.set(sample.itl_ms, filled);
    filled += sample.itl_ms.length;
  }
  if (pooled.length === 0) return null;
  pooled.sort();
  const at = (q: number): number => roundTo3(percentileOfSorted(pooled, q));
  return { n: pooled.length, p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99) };
}

/** `amount` per second, or null where the time is nothing. */
function rate(amount: number, per: number): number | null {
  const value = amount / per;
  return Number.isFinite(value) ? roundTo3(value) : null;
}

/** The sample's tokenization time, if it is one: the rules of the summarizer do not look at it. */
function tokenizationOf(sample: Sample): number | null {
  const { tokenization_ms: tokenization, ttft_ms: ttft } = sample;
  return isTiming(tokenization) && tokenization <= ttft ? tokenization : null;
}

function prefillRate(samples: readonly Sample[]): number | null {
  const rates: number[] = [];
  for (const sample of samples) {
    const tokenization = tokenizationOf(sample);
    if (tokenization === null || sample.prompt_tokens === undefined) return null;
    rates.push((sample.prompt_tokens * 1000) / (sample.ttft_ms - tokenization));
  }
  return rate(median(rates), 1);
}

function share(part: number | null, whole: number): number | null {
  return part === null || !(whole > 0) || !Number.isFinite(whole) ? null : part / whole;
}

function timeShares(samples: readonly Sample[]): TimeShares {
  const total = exactSum(samples.map((sample) => sample.e2e_ms));
  const wait = exactSum(samples.map((sample) => sample.ttft_ms));
  const parts = samples.map(tokenizationOf);
  const known = parts.filter((part) => part !== null);
  const tokenization = known.length === parts.length ? exactSum(known) : null;
  return {
    tokenization: share(tokenization, total),
    prefill: share(tokenization === null ? null : wait - tokenization, total),
    wait: share(wait, total),
    decode: share(total - wait, total),
    tokenization_of_wait: share(tokenization, wait),
  };
}

function stopReasons(samples: readonly Sample[]): RunSummary['stop_reasons'] {
  const counts: { -readonly [reason in keyof RunSummary['stop_reasons']]: RunSummary['stop_reasons'][reason] } = {};
  for (const sample of samples) {
    const reason = sample.stop_reason ?? 'not_recorded';
    counts[reason] = (counts[reason] ?? 0) + 1;
  }
  return counts;
}

function findStalls(samples: readonly Sample[]): StallSummary {
  const listed: Stall[] = [];
  let count = 0;
  let total = 0;
  let stalled = 0;
  let worst: StallSummary['worst'] = null;
  for (const [index, sample] of samples.entries()) {
    const indices = stallIndices(sample.itl_ms);
    if (indices.length === 0) continue;
    const lost = exactSum(indices.map((at) => sample.itl_ms[at] ?? 0));
    stalled += 1;
    count += indices.length;
    total += lost;
    for (const at of indices) {
      if (listed.length >= MAX_LISTED_STALLS) break;
      listed.push({ sample: index, token: at + 1, ms: sample.itl_ms[at] ?? 0 });
    }
    if (worst !== null && worst.ms >= lost) continue;
    worst = {
      sample: index,
      count: indices.length,
      ms: roundTo3(lost),
      e2e_ms: sample.e2e_ms,
      mean_itl_ms: roundTo3(mean(sample.itl_ms)),
      median_itl_ms: roundTo3(median(sample.itl_ms)),
    };
  }
  return { count, ms: roundTo3(total), samples: stalled, listed, worst };
}

function longestWait(samples: readonly Sample[]): RunSummary['longest_wait'] {
  let longest = { sample: 0, ttft_ms: samples[0]?.ttft_ms ?? 0 };
  for (const [index, sample] of samples.entries()) {
    if (sample.ttft_ms > longest.ttft_ms) longest = { sample: index, ttft_ms: sample.ttft_ms };
  }
  return longest;
}
