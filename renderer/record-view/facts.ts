import type { Environment, Generation, ModelInfo, TraceRecord } from '../../shared/record.ts';
import { bytes, count, ms, shortCount } from '../../shared/units.ts';

export type FactRow = readonly [name: string, value: string];

/** Rows for what is there; what a record does not say is left out, except where its absence matters. */
function rows(entries: readonly (readonly [string, string | number | null | undefined])[]): FactRow[] {
  return entries.flatMap(([name, value]): FactRow[] =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
  );
}

/** Fields that we do not know, as they stand. */
function others(value: Readonly<Record<string, unknown>>, known: readonly string[]): FactRow[] {
  return Object.entries(value)
    .filter(([name, field]) => !known.includes(name) && field !== null && typeof field !== 'object')
    .map(([name, field]): FactRow => [name.replaceAll('_', ' '), String(field).slice(0, 400)]);
}

export function modelFacts(model: ModelInfo): FactRow[] {
  const known = [
    ...['id', 'revision', 'license', 'dtype', 'attention_backend', 'parameters', 'weight_bytes', 'layers', 'kv_heads'],
    ...['head_dim', 'kv_bytes_per_token', 'weights', 'context_tokens', 'files'],
  ];
  return [
    ...rows([
      ['Model', model.id],
      ['Revision', model.revision],
      ['License', model.license],
      [
        'Weights',
        model.weights === 'synthetic' ? 'synthetic: random numbers in the shape of the model' : model.weights,
      ],
      ['Type', model.dtype],
      ['Attention', model.attention_backend],
      [
        'Parameters',
        model.parameters === undefined ? null : `${shortCount(model.parameters)} (${count(model.parameters)})`,
      ],
      ['Size of the weights', model.weight_bytes === undefined ? null : bytes(model.weight_bytes)],
      ['Layers', model.layers],
      ['KV heads × head size', model.kv_heads === undefined ? null : `${model.kv_heads} × ${model.head_dim ?? '?'}`],
      ['KV cache', model.kv_bytes_per_token === undefined ? null : `${bytes(model.kv_bytes_per_token)} per token`],
      ['Context', model.context_tokens === undefined ? null : `${count(model.context_tokens)} tokens`],
    ]),
    ...others(model, known),
  ];
}

export function environmentFacts(environment: Environment): FactRow[] {
  const known = ['device', 'platform', 'cpu', 'cpu_count', 'memory_bytes', 'threads', 'execution_provider'];
  return [
    ...rows([
      ['Device', environment.device],
      ['Platform', environment.platform],
      ['Processor', environment.cpu],
      ['Logical processors', environment.cpu_count],
      ['Threads used', environment.threads],
      ['Memory', environment.memory_bytes === undefined ? null : bytes(environment.memory_bytes)],
      ['Execution provider', environment.execution_provider],
    ]),
    ...others(environment, known),
  ];
}

export function generationFacts(generation: Generation): FactRow[] {
  const known = ['strategy', 'max_new_tokens', 'do_sample', 'warmup_tokens'];
  return [
    ...rows([
      ['Strategy', generation.strategy],
      ['Cap', `${count(generation.max_new_tokens)} tokens`],
      ['Sampling', generation.do_sample ? 'yes' : 'no'],
      ['Warm-up', `${count(generation.warmup_tokens)} tokens`],
    ]),
    ...others(generation, known),
  ];
}

export function recordFacts(record: TraceRecord): FactRow[] {
  return rows([
    ['Written', record.created_at],
    ['Status', record.status ?? 'complete'],
    ['Reason', record.status_reason],
    [
      'Format',
      record.schema_version === undefined ? 'version 0 (the reference lab’s)' : `version ${record.schema_version}`,
    ],
    ['How', record.execution_mode],
    ['Source SHA-256', record.source_sha256],
    ['Limits', record.limits],
  ]);
}

export function loadFacts(record: TraceRecord): FactRow[] {
  const { load } = record;
  return load === undefined
    ? []
    : rows([
        ['Tokenizer', ms(load.tokenizer_ms)],
        ['Model', ms(load.model_ms)],
        ['Loaded for this run', load.reused ? 'no, an earlier run had' : 'yes'],
      ]);
}
