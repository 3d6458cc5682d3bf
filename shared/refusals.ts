import { type Problem, formatPath } from './problem.ts';
import { TIMING_REASON, type Batch, type PrefixReuse, type Sample, type TraceRecord } from './record.ts';
import { exactSum, isClose } from './statistics.ts';

/** Why a record cannot be true, in the order in which each sample is asked. The strings are part of the interface. */
export const REFUSALS = {
  noSample: 'At least one completed generation is required',
  timing: TIMING_REASON,
  tokenCount: 'Token count mismatch',
  tokenTiming: 'Invalid token timing',
  intervals: 'Missing token intervals',
  sum: 'Intervals do not account for end-to-end timing',
} as const;

/**
 * What the intervals of a request may differ from its end-to-end time, for each interval. Times are stored with
 * 3 decimals, so each is off by up to 0.0005 ms; the reference lab allows four times that.
 */
const TOLERANCE_MS_PER_INTERVAL = 0.002;

/** The first rule of the summarizer that the sample breaks, or null. `path` is its place in the record. */
export function sampleRefusal(sample: Sample, path: string): Problem | null {
  const { ttft_ms: ttft, e2e_ms: e2e, itl_ms: intervals, generated_tokens: tokens, generated_token_ids: ids } = sample;
  const timing = timingRefusal(sample, path);
  if (timing !== null) return timing;
  if (tokens !== ids.length) {
    return {
      path,
      reason: REFUSALS.tokenCount,
      figures: `generated_tokens is ${tokens}, ${ids.length} token ids found`,
    };
  }
  if (e2e < ttft) {
    return { path, reason: REFUSALS.tokenTiming, figures: `e2e_ms ${e2e} is before ttft_ms ${ttft}` };
  }
  const expected = Math.max(0, tokens - 1);
  if (intervals.length !== expected) {
    const figures = `${plural(expected, 'interval')} expected for ${plural(tokens, 'token')}, ${intervals.length} found`;
    return { path, reason: REFUSALS.intervals, figures };
  }
  const sum = exactSum(intervals);
  const tolerance = TOLERANCE_MS_PER_INTERVAL * Math.max(1, intervals.length);
  if (isClose(sum, e2e - ttft, tolerance)) return null;
  const figures = `the intervals sum to ${shortest(sum)} ms, e2e_ms - ttft_ms is ${shortest(e2e - ttft)} ms (tolerance ${shortest(tolerance)} ms)`;
  return { path, reason: REFUSALS.sum, figures };
}

/** As the reference, also when the value came past the schema: what is not a number is no timing either. */
function timingRefusal(sample: Sample, path: string): Problem | null {
  const refusal = (field: string, found: unknown): Problem => ({
    path: `${path}.${field}`,
    reason: REFUSALS.timing,
    figures: `found ${typeof found === 'string' ? 'text' : String(found)}`,
  });
  if (!isTiming(sample.ttft_ms)) return refusal('ttft_ms', sample.ttft_ms);
  if (!isTiming(sample.e2e_ms)) return refusal('e2e_ms', sample.e2e_ms);
  const index = sample.itl_ms.findIndex((interval) => !isTiming(interval));
  return index < 0 ? null : refusal(`itl_ms[${index}]`, sample.itl_ms[index]);
}

export function isTiming(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/**
 * Every sample's first refusal, up to `max` of them; the first in the list is the one the reference lab would raise.
 * The batch sweep and the prefix reuse come last: the lab passes them on unchecked, but a time that is negative or infinite is
 * as false there.
 */
export function recordRefusals(record: TraceRecord, max = 100): Problem[] {
  const found: Problem[] = [];
  const add = (problem: Problem | null): void => {
    if (problem !== null && found.length < max) found.push(problem);
  };
  for (const [index, run] of record.runs.entries()) {
    const path = formatPath(['runs', index]);
    if (run.samples.length === 0) add({ path, reason: REFUSALS.noSample, figures: '0 samples found' });
    for (const [sample, value] of run.samples.entries()) {
      if (found.length >= max) return found;
      add(sampleRefusal(value, `${path}.samples[${sample}]`));
    }
  }
  for (const [index, batch] of record.batch_sweep.entries()) {
    if (found.length >= max) return found;
    add(batchRefusal(batch, formatPath(['batch_sweep', index])));
  }
  if (record.prefix_reuse !== null) add(prefixRefusal(record.prefix_reuse));
  return found;
}

function batchRefusal(batch: Batch, path: string): Problem | null {
  return firstFalse(path, { elapsed_ms: batch.elapsed_ms, output_tokens_per_s: batch.output_tokens_per_s });
}

function prefixRefusal(prefix: PrefixReuse): Problem | null {
  const { cold_prefill_ms, suffix_prefill_ms } = prefix;
  return firstFalse('prefix_reuse', { cold_prefill_ms, suffix_prefill_ms });
}

function firstFalse(path: string, figures: { readonly [field: string]: number }): Problem | null {
  const wrong = Object.entries(figures).find(([, value]) => !isTiming(value));
  if (wrong === undefined) return null;
  return { path: `${path}.${wrong[0]}`, reason: REFUSALS.timing, figures: `found ${wrong[1]}` };
}

function plural(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}

/** Without the digits that binary fractions add (870.3460000000001), but with all that could matter. */
function shortest(value: number): string {
  return String(Number(value.toPrecision(12)));
}
