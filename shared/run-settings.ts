import { printable } from './problem.ts';
import type { Environment, Run, Sample, TraceRecord } from './record.ts';
import { bytes, count, counted } from './units.ts';

/** A setting as it is compared and as it is shown; null when the record does not hold it. */
export interface Setting {
  readonly key: string;
  readonly shown: string;
}

export type SettingName = keyof ReturnType<typeof runSettings>;
export type RunSettings = { readonly [name in SettingName]: Setting | null };

/** All that has a say in how fast a run is, as far as its record tells. */
export function runSettings(record: TraceRecord, run: Run) {
  const { model, generation, environment } = record;
  const { samples } = run;
  return {
    model: setting([model.id, model.revision ?? null], modelWords(record)),
    dtype: setting(model.dtype),
    weights: setting(model.weights),
    parameters: setting(model.parameters, count(model.parameters)),
    attention: setting(model.attention_backend),
    device: setting(environment?.device),
    provider: setting(environment?.execution_provider),
    cpu: setting(environment?.cpu, cpuWords(environment)),
    threads: setting(environment?.threads, counted(environment?.threads ?? 0, 'thread')),
    runtime: setting(runtimeWords(environment)),
    host: setting(environment?.host, hostWords(environment)),
    boundary: setting(record.execution_mode),
    strategy: setting([generation.strategy, generation.do_sample], generation.strategy),
    warmup: setting([generation.warmup_tokens, record.warmup?.prompt ?? null], warmupWords(record)),
    cap: over(
      samples,
      (sample) => sample.max_new_tokens ?? generation.max_new_tokens,
      (cap) => counted(cap, 'token'),
    ),
    stop: over(samples, stopAfter, (after) =>
      after === 0 ? 'not stopped' : `stopped after ${counted(after, 'token')}`,
    ),
    cache: over(
      samples,
      ({ use_cache: cache }) => cache,
      (cache) => (cache ? 'KV cache kept' : 'no KV cache'),
    ),
    chunk: over(
      samples,
      ({ chunk_size: size }) => size,
      (size) => (size === null ? 'prompt in one pass' : `prompt in chunks of ${counted(size, 'token')}`),
    ),
    logits: over(
      samples,
      ({ logits }) => logits,
      (mode) => (mode === 'last' ? 'logits of the last position' : 'logits of every position'),
    ),
    prompt: promptSetting(samples),
    replies: setting(replyEnds(samples), `replies of ${replyEnds(samples)} tokens`),
    os: setting(environment?.platform),
    memory: setting(environment?.memory_bytes, bytes(environment?.memory_bytes)),
    tokenizer: setting(environment?.transformers, `transformers ${environment?.transformers ?? ''}`),
    program: setting(environment?.tokenscope, `Tokenscope ${environment?.tokenscope ?? ''}`),
    source: setting(record.source_sha256, `source ${record.source_sha256?.slice(0, 12) ?? ''}`),
    date: setting(record.created_at),
    status: setting(record.status),
  } satisfies { [name: string]: Setting | null };
}

type SettingScalar = string | number | boolean | null | undefined;
type SettingValue = SettingScalar | readonly SettingScalar[];

function setting(value: SettingValue, shown?: string): Setting | null {
  if (value === undefined || value === null) return null;
  return { key: JSON.stringify(value), shown: printable(shown ?? [value].flat().join(' ')) };
}

/** A setting of each request: one for the run, or none of its own when its samples disagree. */
function over<T>(
  samples: readonly Sample[],
  read: (sample: Sample) => T | undefined,
  words: (value: T) => string,
): Setting | null {
  const values = new Map<string, T>();
  for (const sample of samples) {
    const value = read(sample);
    if (value === undefined) return null;
    values.set(JSON.stringify(value), value);
  }
  const each = [...values].sort(([x], [y]) => (x < y ? -1 : 1));
  return { key: each.map(([key]) => key).join(' '), shown: each.map(([, value]) => words(value)).join(' or ') };
}

/** The token after which the request was stopped by request; 0 for never. */
function stopAfter(sample: Sample): number {
  if (sample.cancel_after !== undefined) return sample.cancel_after ?? 0;
  return sample.stop_reason === 'cancelled' ? sample.generated_tokens : 0;
}

function promptSetting(samples: readonly Sample[]): Setting | null {
  const lengths = over(
    samples,
    ({ prompt_tokens: tokens }) => tokens,
    (tokens) => count(tokens),
  );
  const texts = over(
    samples,
    ({ prompt }) => prompt,
    (prompt) => prompt,
  );
  if (texts === null && lengths === null) return null;
  const words = lengths === null ? 'a prompt' : `a prompt of ${lengths.shown} tokens`;
  return { key: JSON.stringify([texts?.key ?? null, lengths?.key ?? null]), shown: words };
}

function replyEnds(samples: readonly Sample[]): string {
  const least = samples.reduce((lowest, { generated_tokens: tokens }) => Math.min(lowest, tokens), Infinity);
  const most = samples.reduce((highest, { generated_tokens: tokens }) => Math.max(highest, tokens), 0);
  return least === most ? count(most) : `${count(least)} to ${count(most)}`;
}

function modelWords({ model }: TraceRecord): string {
  return typeof model.revision === 'string' ? `${model.id} at ${model.revision.slice(0, 12)}` : model.id;
}

function cpuWords(environment: Environment | undefined): string {
  return environment?.cpu_count === undefined
    ? (environment?.cpu ?? '')
    : `${environment.cpu ?? ''} (${counted(environment.cpu_count, 'thread')} in all)`;
}

/** The library that evaluates the model, whichever the record names. */
function runtimeWords(environment: Environment | undefined): string | undefined {
  if (environment?.onnxruntime !== undefined) return `onnxruntime ${environment.onnxruntime}`;
  const torch = environment?.['torch'];
  return typeof torch === 'string' ? `torch ${torch}` : undefined;
}

function hostWords(environment: Environment | undefined): string {
  const node = environment?.node === undefined ? '' : ` (Node ${environment.node.split('.')[0] ?? ''})`;
  return `${environment?.host ?? ''}${node}`;
}

function warmupWords({ warmup, generation }: TraceRecord): string {
  return warmup === null || warmup === undefined
    ? 'no warm-up'
    : `warm-up of ${counted(generation.warmup_tokens, 'token')}`;
}
