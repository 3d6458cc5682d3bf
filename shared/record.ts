import { z } from 'zod';

/**
 * The saved record. Its field names are the reference lab's, so that either side's analyzer reads the other's records;
 * fields that only we write are optional. Objects are loose: a field we do not know survives a load and a save.
 * The format and its changes are described in records/README.md.
 */

/** The version that this program writes. Records of the reference lab carry no version and count as 0. */
export const RECORD_VERSION = 1;

/** The refusal for a figure that is missing, of the wrong type, not finite or negative. */
export const TIMING_REASON = 'Timing values must be finite and nonnegative';

/**
 * A time in milliseconds. Any number passes here, infinities and negative ones too: refusing those is the summarizer's
 * work, in its order. Null and text are refused at once, with the summarizer's own reason.
 */
const milliseconds = z.custom<number>((value) => typeof value === 'number', { error: TIMING_REASON });
const count = z.int().nonnegative();
const tokenId = z.int().nonnegative();

export const stopReasonSchema = z.enum(['length', 'eos', 'cancelled', 'failed']);
export type StopReason = z.infer<typeof stopReasonSchema>;

/** Which positions of the prompt the head computes and hands over: only the last, or every one. */
export const logitsModeSchema = z.enum(['last', 'all']);
export type LogitsMode = z.infer<typeof logitsModeSchema>;

/**
 * Whether a graph lets its caller choose the positions whose logits it computes: by an input that we gave it (`start`),
 * by one of its own (`keep`), or not at all, since it computes all of them (`none`) or the last (`last`).
 */
export const logitsControlSchema = z.enum(['start', 'keep', 'none', 'last']);
export type LogitsControlKind = z.infer<typeof logitsControlSchema>;

/** The positions that a graph computes logits for when `wanted` is asked of it. */
export function computedLogits(control: LogitsControlKind | undefined, wanted: LogitsMode): LogitsMode {
  if (control === 'none') return 'all';
  return control === 'last' ? 'last' : wanted;
}

/** One request, from before tokenization to its last token. All times in milliseconds from one monotonic clock. */
export const sampleSchema = z.looseObject({
  prompt: z.string().optional(),
  prompt_tokens: count.optional(),
  generated_token_ids: z.array(tokenId),
  generated_tokens: z.int(),
  text: z.string().optional(),
  use_cache: z.boolean().optional(),
  chunk_size: z.int().positive().nullable().optional(),
  stop_reason: stopReasonSchema.optional(),
  /** Chat template and tokenizer. Part of the wait for the first token. */
  tokenization_ms: milliseconds.optional(),
  /** From the start of the request to the first output token chosen and available. */
  ttft_ms: milliseconds,
  /** Mean of `itl_ms`; null for a reply of one token. */
  tpot_ms: milliseconds.nullable().optional(),
  /** `itl_ms[i]` lies between token i+1 and token i+2: one fewer than there are tokens. */
  itl_ms: z.array(milliseconds),
  /** From the start of the request to the last token. */
  e2e_ms: milliseconds,
  cache_tokens_before_release: count.optional(),

  // Written by Tokenscope, absent in the reference lab's records.
  /** The output cap of this request, and the token after which it was to stop by request. */
  max_new_tokens: z.int().positive().optional(),
  cancel_after: z.int().positive().nullable().optional(),
  logits: logitsModeSchema.optional(),
  /** Time inside the runtime for each chunk of the prompt. */
  prefill_ms: z.array(milliseconds).optional(),
  /** Time inside the runtime for each decode step. */
  forward_ms: z.array(milliseconds).optional(),
  /** The text that each token added. Joined, they are `text` without its special tokens. */
  token_texts: z.array(z.string()).optional(),
  /** What observing cost: posting and detokenizing, outside the stamped intervals where possible. */
  observer_ms: milliseconds.optional(),
});
export type Sample = z.infer<typeof sampleSchema>;

export const runSchema = z.looseObject({
  name: z.string(),
  samples: z.array(sampleSchema),
  median_ttft_ms: milliseconds.nullable().optional(),
  median_tpot_ms: milliseconds.nullable().optional(),
});
export type Run = z.infer<typeof runSchema>;

/** A static batch: its own loop, never comparable with the stage trace of single requests. */
export const batchSchema = z.looseObject({
  batch_size: z.int().positive(),
  elapsed_ms: milliseconds,
  output_tokens: count,
  output_tokens_per_s: milliseconds,
  texts: z.array(z.string()),
  /** Written by Tokenscope: time from the start of the batch to each row's last token. */
  row_elapsed_ms: z.array(milliseconds).optional(),
  row_tokens: z.array(count).optional(),
});
export type Batch = z.infer<typeof batchSchema>;

export const prefixReuseSchema = z.looseObject({
  total_tokens: count,
  cached_prefix_tokens: count,
  cold_prefill_ms: milliseconds,
  suffix_prefill_ms: milliseconds,
  max_abs_last_logit_diff: z.number(),
  same_greedy_next_token: z.boolean(),
});
export type PrefixReuse = z.infer<typeof prefixReuseSchema>;

/** Where it ran. `device` is the only field that both the reference lab and Tokenscope write. */
export const environmentSchema = z.looseObject({
  device: z.string().optional(),
  platform: z.string().optional(),
  host: z.enum(['node', 'electron']).optional(),
  node: z.string().optional(),
  onnxruntime: z.string().optional(),
  transformers: z.string().optional(),
  tokenscope: z.string().optional(),
  execution_provider: z.string().optional(),
  /** Why `auto` did not take a device that it prefers. */
  device_note: z.string().optional(),
  threads: z.int().positive().optional(),
  cpu: z.string().optional(),
  cpu_count: z.int().positive().optional(),
  memory_bytes: count.optional(),
});
export type Environment = z.infer<typeof environmentSchema>;

export const modelInfoSchema = z.looseObject({
  id: z.string(),
  revision: z.string().nullable().optional(),
  license: z.string().nullable().optional(),
  dtype: z.string().optional(),
  attention_backend: z.string().optional(),
  parameters: count.optional(),
  weight_bytes: count.optional(),
  layers: count.optional(),
  kv_heads: count.optional(),
  head_dim: count.optional(),
  kv_bytes_per_token: count.optional(),
  /** Written by Tokenscope: whether the weights were trained or drawn at random for their shape. */
  weights: z.enum(['trained', 'synthetic']).optional(),
  context_tokens: z.int().positive().optional(),
  kv_dtype: z.string().optional(),
  logits_control: logitsControlSchema.optional(),
  /** Why it is `none`: what in the graph stands in the way. */
  logits_note: z.string().optional(),
  /** Whether prompts went through a chat template; else raw, because there is none or because it failed, and how. */
  chat_template: z.union([z.boolean(), z.string()]).optional(),
  /** Every file the run depended on, by its path inside the model folder. */
  files: z.array(z.looseObject({ path: z.string(), bytes: count, sha256: z.string() })).optional(),
});
export type ModelInfo = z.infer<typeof modelInfoSchema>;

export const generationSchema = z.looseObject({
  strategy: z.string(),
  max_new_tokens: z.int().positive(),
  do_sample: z.boolean(),
  warmup_tokens: count,
});
export type Generation = z.infer<typeof generationSchema>;

/** Whether the plan ran to its end. Absent in records of version 0, which were only saved when complete. */
export const recordStatusSchema = z.enum(['complete', 'cancelled', 'failed', 'partial']);
export type RecordStatus = z.infer<typeof recordStatusSchema>;

/** Loading the model, kept apart from every request. `reused`: an earlier experiment had loaded it already. */
export const loadSchema = z.looseObject({ model_ms: milliseconds, tokenizer_ms: milliseconds, reused: z.boolean() });
export type Load = z.infer<typeof loadSchema>;

export const recordSchema = z.looseObject({
  schema_version: z.int().nonnegative().optional(),
  execution_mode: z.string().optional(),
  environment: environmentSchema.optional(),
  model: modelInfoSchema,
  generation: generationSchema,
  source_sha256: z.string().optional(),
  warmup: sampleSchema.nullable().optional(),
  runs: z.array(runSchema),
  batch_sweep: z.array(batchSchema),
  prefix_reuse: prefixReuseSchema.nullable(),
  limits: z.string().optional(),

  // Written by Tokenscope.
  status: recordStatusSchema.optional(),
  /** Why a cancelled, failed or partial record ends where it does. */
  status_reason: z.string().optional(),
  created_at: z.string().optional(),
  load: loadSchema.optional(),
  /** Steps that this model could not run, and why. */
  skipped: z.array(z.looseObject({ step: z.string(), reason: z.string() })).optional(),
  /** The plan as it was run, so that it can be run again. Checked by its own schema where it is used. */
  plan: z.unknown().optional(),
});
export type TraceRecord = z.infer<typeof recordSchema>;
