import type { RecordHeader, RunEvent, Step } from './messages.ts';
import type { Plan } from './plan.ts';
import {
  type Batch,
  computedLogits,
  type PrefixReuse,
  RECORD_VERSION,
  type RecordStatus,
  type Sample,
  type TraceRecord,
} from './record.ts';
import { mean, median, roundTo3 } from './statistics.ts';

/** Tokens of a request that has not ended: what is left of it if its process dies. */
interface OpenRequest {
  promptTokens: number;
  tokenizationMs: number;
  ids: number[];
  atMs: number[];
  texts: string[];
}

/** A record in the making: what a run has told so far. Changed only by `applyEvent`. */
export interface RecordDraft {
  plan: Plan;
  header: RecordHeader;
  createdAt: string;
  step: Step | undefined;
  warmup: Sample | undefined;
  /** Samples by run, in the plan's order. */
  samples: Sample[][];
  batches: Batch[];
  prefixReuse: PrefixReuse | undefined;
  skipped: { step: string; reason: string }[];
  open: OpenRequest | undefined;
}

/** `createdAt` is a date in ISO form, passed in because this code has no clock. */
export function startDraft(plan: Plan, header: RecordHeader, createdAt: string): RecordDraft {
  return {
    plan,
    header,
    createdAt,
    step: undefined,
    warmup: undefined,
    samples: plan.runs.map(() => []),
    batches: [],
    prefixReuse: undefined,
    skipped: [],
    open: undefined,
  };
}

/** Adds what an event says. Live views, the saved journal and the finished record all go through here. */
export function applyEvent(draft: RecordDraft, event: RunEvent): void {
  switch (event.type) {
    case 'step':
      draft.step = event.step;
      draft.open = undefined;
      return;
    case 'prompt':
      draft.open = {
        promptTokens: event.prompt_tokens,
        tokenizationMs: event.tokenization_ms,
        ids: [],
        atMs: [],
        texts: [],
      };
      return;
    case 'tokens':
      draft.open?.ids.push(...event.ids);
      draft.open?.atMs.push(...event.at_ms);
      if (event.texts !== null) draft.open?.texts.push(...event.texts);
      return;
    case 'sample':
      keepSample(draft, event.sample);
      draft.open = undefined;
      return;
    case 'batch':
      draft.batches.push(event.batch);
      return;
    case 'prefix_reuse':
      draft.prefixReuse = event.prefix_reuse;
      return;
    case 'skipped':
      if (draft.step !== undefined) draft.skipped.push({ step: stepName(draft.step), reason: event.reason });
      return;
    case 'finished':
      draft.step = undefined;
      return;
  }
}

function keepSample(draft: RecordDraft, sample: Sample): void {
  if (draft.step?.kind === 'warmup') draft.warmup = sample;
  if (draft.step?.kind === 'run') draft.samples[draft.step.run]?.push(sample);
}

/** A step in words. */
export function stepName(step: Step): string {
  switch (step.kind) {
    case 'warmup':
      return 'warm-up';
    case 'run':
      return `${step.name}, sample ${step.sample + 1} of ${step.of}`;
    case 'batch':
      return `batch of ${step.batch_size}`;
    case 'prefix_reuse':
      return 'prefix reuse';
  }
}

/** How the experiment ended. A reason is due for anything but `complete`. */
export interface Ending {
  status: RecordStatus;
  reason?: string;
}

/**
 * The record of what was measured. Runs without a sample are left out, since a run needs at least one. A request that
 * was cut off after its first token becomes a sample that says `failed`; one cut off before it leaves nothing.
 */
export function draftToRecord(draft: RecordDraft, ending: Ending): TraceRecord {
  const { plan, header } = draft;
  const { environment, model, load, source_sha256 } = header;
  const cutOff = ending.status === 'complete' ? undefined : cutOffSample(draft);
  const samples = draft.samples.map((run) => [...run]);
  if (cutOff !== undefined && draft.step?.kind === 'run') samples[draft.step.run]?.push(cutOff);
  return {
    schema_version: RECORD_VERSION,
    execution_mode: 'fresh local inference; no simulated latency',
    status: ending.status,
    ...(ending.reason === undefined ? {} : { status_reason: ending.reason }),
    created_at: draft.createdAt,
    environment,
    model,
    generation: {
      strategy: 'greedy argmax',
      max_new_tokens: Math.max(...plan.runs.map((run) => run.max_new_tokens)),
      do_sample: false,
      warmup_tokens: plan.warmup?.max_new_tokens ?? 0,
      repetition_penalty: 'not applied, whatever the model asks for',
    },
    load,
    source_sha256,
    warmup: draft.warmup ?? null,
    runs: plan.runs.flatMap((run, index) => {
      const own = samples[index] ?? [];
      if (own.length === 0) return [];
      const tpots = own.flatMap((sample) => (sample.itl_ms.length > 0 ? [mean(sample.itl_ms)] : []));
      return [
        {
          name: run.name,
          samples: own,
          median_ttft_ms: roundTo3(median(own.map((sample) => sample.ttft_ms))),
          median_tpot_ms: tpots.length > 0 ? roundTo3(median(tpots)) : null,
        },
      ];
    }),
    batch_sweep: draft.batches,
    prefix_reuse: draft.prefixReuse ?? null,
    ...(draft.skipped.length > 0 ? { skipped: draft.skipped } : {}),
    limits: limitsOf(plan),
    plan,
  };
}

function cutOffSample(draft: RecordDraft): Sample | undefined {
  const { open, step, plan } = draft;
  if (open === undefined || open.ids.length === 0 || step?.kind !== 'run') return undefined;
  const run = plan.runs[step.run];
  if (run === undefined) return undefined;
  const intervals = open.atMs.slice(1).map((at, index) => at - (open.atMs[index] ?? 0));
  return {
    prompt: run.prompt,
    prompt_tokens: open.promptTokens,
    generated_token_ids: open.ids,
    generated_tokens: open.ids.length,
    text: open.texts.join(''),
    use_cache: run.use_cache,
    chunk_size: run.chunk_size,
    stop_reason: 'failed',
    tokenization_ms: roundTo3(open.tokenizationMs),
    ttft_ms: roundTo3(open.atMs[0] ?? 0),
    tpot_ms: intervals.length > 0 ? roundTo3(mean(intervals)) : null,
    itl_ms: intervals.map(roundTo3),
    e2e_ms: roundTo3(open.atMs.at(-1) ?? 0),
    max_new_tokens: run.max_new_tokens,
    cancel_after: run.cancel_after,
    logits: computedLogits(draft.header.model.logits_control, run.logits),
    ...(open.texts.length === open.ids.length ? { token_texts: open.texts } : {}),
  };
}

function limitsOf(plan: Plan): string {
  const repeats = plan.runs.map((run) => run.repeats);
  const fewest = Math.min(...repeats);
  const most = Math.max(...repeats);
  const samples = fewest === most ? `${fewest}` : `${fewest} to ${most}`;
  return (
    `${samples} repeated requests per run on one machine; no held-out quality evaluation, no queue, no transport ` +
    'and no load from other requests. Batches run in another loop and are not comparable with single requests.'
  );
}
