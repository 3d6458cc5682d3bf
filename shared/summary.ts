import type { StopReason } from './record.ts';

/**
 * What the terminal, the window and the report show of a record. Field names are those of the record and carry their
 * unit; times are in milliseconds with 3 decimals, shares lie between 0 and 1. A figure whose fields the record lacks
 * is null. Samples and tokens count from 0 here; sentences count them from 1.
 */
export interface RecordSummary {
  readonly percentile_method: string;
  readonly stall_rule: string;
  readonly runs: readonly RunSummary[];
  /** The first request after loading, which belongs to no run; null when there was none. */
  readonly cold: { readonly ttft_ms: number; readonly tpot_ms: number | null } | null;
  /** What a reader should know before trusting the figures; nothing here refuses the record. */
  readonly notes: readonly Note[];
}

export interface RunSummary {
  readonly name: string;
  /** The number of samples. */
  readonly n: number;
  /** The same for all samples, else null. */
  readonly prompt_tokens: number | null;
  readonly output_tokens: { readonly min: number; readonly max: number };
  readonly ttft_ms: Spread;
  /** Over the samples' mean intervals; null when no sample has an interval. */
  readonly tpot_ms: Spread | null;
  readonly e2e_ms: Spread;
  /** Over all intervals of the run, pooled; null when there are none. */
  readonly itl_ms: Distribution | null;
  /** At the median TPOT. */
  readonly decode_tokens_per_s: number | null;
  /** Prompt tokens over the wait without tokenization; the median of the samples. */
  readonly prefill_tokens_per_s: number | null;
  readonly shares: TimeShares;
  readonly stop_reasons: { readonly [reason in StopReason | 'not_recorded']?: number };
  readonly stalls: StallSummary;
  /** The sample that waited longest for its first token. */
  readonly longest_wait: { readonly sample: number; readonly ttft_ms: number };
  readonly explanation: Explanation;
}

/** `n` values, their median and their ends. */
export interface Spread {
  readonly n: number;
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export interface Distribution {
  readonly n: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
}

/** Shares of the run's time: tokenization + prefill = wait, and wait + decode = 1. */
export interface TimeShares {
  readonly tokenization: number | null;
  readonly prefill: number | null;
  readonly wait: number | null;
  readonly decode: number | null;
  /** Tokenization's share of the wait alone. */
  readonly tokenization_of_wait: number | null;
}

export interface StallSummary {
  readonly count: number;
  readonly ms: number;
  /** How many samples had one. */
  readonly samples: number;
  /** In the record's order, at most MAX_LISTED_STALLS. */
  readonly listed: readonly Stall[];
  /** The sample that lost most, with what its mean hides. */
  readonly worst: {
    readonly sample: number;
    readonly count: number;
    readonly ms: number;
    readonly e2e_ms: number;
    readonly mean_itl_ms: number;
    readonly median_itl_ms: number;
  } | null;
}

export interface Stall {
  readonly sample: number;
  /** Index of the token that came late, in `generated_token_ids`. */
  readonly token: number;
  /** The interval before it. */
  readonly ms: number;
}

/** Where the run's time went: one sentence, and what it leaves out. */
export interface Explanation {
  readonly headline: string;
  readonly details: readonly string[];
}

export interface Note {
  readonly kind:
    | 'few-samples'
    | 'stored-figure'
    | 'status'
    | 'tokenization'
    | 'duplicate-name'
    | 'tokens-differ'
    | 'synthetic'
    | 'skipped'
    | 'raw-prompt'
    | 'all-logits'
    | 'device';
  /** A place in the record, or empty for the whole. */
  readonly path: string;
  readonly text: string;
}
