import { recordNotes } from './notes.ts';
import { type Problem, recordError } from './problem.ts';
import type { Batch, Generation, ModelInfo, PrefixReuse, Sample, TraceRecord } from './record.ts';
import { isTiming, recordRefusals } from './refusals.ts';
import { STALL_RULE, summarizeRun } from './run-summary.ts';
import { PERCENTILE_METHOD, mean, median, roundTo3 } from './statistics.ts';
import type { RecordSummary } from './summary.ts';

/** What the reference lab's analyzer says of a run. */
export interface ReferenceRun {
  readonly samples: number;
  readonly median_ttft_ms: number;
  /** Null when every reply has a single token. */
  readonly median_tpot_ms: number | null;
}

/** What the reference lab's analyzer prints, with the fields in its order. */
export interface ReferenceSummary {
  readonly execution_mode: string;
  readonly model: ModelInfo;
  readonly generation: Generation;
  /** By name, in the record's order; of two runs with one name the later stands in the earlier's place. */
  readonly comparisons: ReadonlyMap<string, ReferenceRun>;
  readonly batch_sweep: readonly Batch[];
  readonly prefix_reuse: PrefixReuse | null;
}

/** The words by which the reference lab's analyzer tells its output from a live run's. */
const OFFLINE_ANALYSIS = 'offline analysis of fresh local inference record';

export type SummaryResult =
  | { readonly ok: true; readonly reference: ReferenceSummary; readonly summary: RecordSummary }
  | { readonly ok: false; readonly problems: readonly [Problem, ...Problem[]] };

/** Both summaries of a record, or every sample's reason to refuse it, the reference lab's first. */
export function summarizeRecord(record: TraceRecord): SummaryResult {
  const [first, ...others] = recordRefusals(record);
  if (first !== undefined) return { ok: false, problems: [first, ...others] };
  return { ok: true, reference: referenceOf(record), summary: summaryOf(record) };
}

/** The reference lab's summary alone. Throws a TokenscopeError for a record that cannot be true. */
export function referenceSummary(record: TraceRecord): ReferenceSummary {
  const [first] = recordRefusals(record, 1);
  if (first !== undefined) throw recordError('record', [first]);
  return referenceOf(record);
}

function referenceOf(record: TraceRecord): ReferenceSummary {
  return {
    execution_mode: OFFLINE_ANALYSIS,
    model: record.model,
    generation: record.generation,
    comparisons: new Map(record.runs.map((run) => [run.name, referenceRun(run.samples)])),
    batch_sweep: record.batch_sweep,
    prefix_reuse: record.prefix_reuse,
  };
}

function referenceRun(samples: readonly Sample[]): ReferenceRun {
  const tpots = samples.flatMap((sample) => (sample.itl_ms.length > 0 ? [mean(sample.itl_ms)] : []));
  return {
    samples: samples.length,
    median_ttft_ms: roundTo3(median(samples.map((sample) => sample.ttft_ms))),
    median_tpot_ms: tpots.length > 0 ? roundTo3(median(tpots)) : null,
  };
}

function summaryOf(record: TraceRecord): RecordSummary {
  return {
    percentile_method: PERCENTILE_METHOD,
    stall_rule: STALL_RULE,
    runs: record.runs.map(summarizeRun),
    cold: coldRequest(record.warmup ?? null),
    notes: recordNotes(record),
  };
}

function coldRequest(warmup: Sample | null): RecordSummary['cold'] {
  if (warmup === null || !isTiming(warmup.ttft_ms)) return null;
  const paced = warmup.itl_ms.length > 0 && warmup.itl_ms.every(isTiming);
  return { ttft_ms: warmup.ttft_ms, tpot_ms: paced ? roundTo3(mean(warmup.itl_ms)) : null };
}
