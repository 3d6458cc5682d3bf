import { describe, expect, test } from 'vitest';
import { type Comparability, compareSettings } from '../../../shared/comparability.ts';
import type { Environment, ModelInfo, Sample, TraceRecord } from '../../../shared/record.ts';
import { madeUpRecord, madeUpSample } from '../../support/report-records.ts';

const environment: Environment = {
  device: 'cpu',
  threads: 4,
  cpu: 'CPU',
  cpu_count: 8,
  memory_bytes: 16e9,
  platform: 'linux-6.1-x64',
  execution_provider: 'CPUExecutionProvider',
  onnxruntime: '1.30.0',
  transformers: '4.3.2',
  host: 'node',
  node: '20.20.2',
  tokenscope: '0.1.0',
};
const model: ModelInfo = {
  id: 'm',
  revision: 'abc',
  dtype: 'float32',
  weights: 'trained',
  files: [
    { path: 'onnx/model.onnx', bytes: 1, sha256: 'aa' },
    { path: 'tokenizer.json', bytes: 1, sha256: 'bb' },
  ],
};

function record(changes: Partial<TraceRecord> = {}, sample: Partial<Sample> = {}): TraceRecord {
  const samples = [1, 2].map((seed) =>
    madeUpSample({ tokens: 5, seed, more: { max_new_tokens: 5, cancel_after: null, logits: 'last', ...sample } }),
  );
  return madeUpRecord([{ name: 'run', samples }], {
    schema_version: 1,
    execution_mode: 'mode',
    environment,
    model,
    source_sha256: 'cc',
    created_at: '2026-11-30T00:00:00Z',
    status: 'complete',
    warmup: madeUpSample({ tokens: 4 }),
    ...changes,
  });
}

function against(other: TraceRecord, first = record()): Comparability {
  return compareSettings({ record: first, run: first.runs[0]! }, { record: other, run: other.runs[0]! });
}

test('the same twice: comparable, and nothing differs', () => {
  expect(against(record())).toEqual({
    standing: 'comparable',
    question: 'The same request under the same conditions: is one of the two faster?',
    differences: [],
    assumed: [],
  });
});

const withEnvironment = (changes: Partial<Environment>) => record({ environment: { ...environment, ...changes } });
const withModel = (changes: Partial<ModelInfo>) => record({ model: { ...model, ...changes } });
const withGeneration = (changes: Partial<TraceRecord['generation']>) =>
  record({
    generation: { strategy: 'greedy argmax', max_new_tokens: 24, do_sample: false, warmup_tokens: 4, ...changes },
  });

describe('what makes a speed-up meaningless', () => {
  test.each<[string, TraceRecord]>([
    [
      'model files (onnx/model.onnx)',
      withModel({ files: [{ path: 'onnx/model.onnx', bytes: 1, sha256: 'zz' }, model.files![1]!] }),
    ],
    [
      'model files (extra.json)',
      withModel({ files: [...model.files!, { path: 'extra.json', bytes: 1, sha256: 'zz' }] }),
    ],
    ['dtype', withModel({ dtype: 'int8' })],
    ['weights', withModel({ weights: 'synthetic' })],
    ['device', withEnvironment({ device: 'mps' })],
    ['execution provider', withEnvironment({ execution_provider: 'CoreML' })],
    ['processor', withEnvironment({ cpu: 'another CPU' })],
    ['threads', withEnvironment({ threads: 8 })],
    ['boundary of the measurement', record({ execution_mode: 'simulated' })],
    ['strategy', withGeneration({ do_sample: true })],
    ['warm-up', record({ warmup: null })],
    ['warm-up', withGeneration({ warmup_tokens: 8 })],
    ['output cap', record({}, { max_new_tokens: 50 })],
    ['stop by request', record({}, { cancel_after: 5 })],
  ])('%s', (what, other) => {
    const { standing, differences } = against(other);
    expect(standing).toBe('not comparable');
    expect(differences).toMatchObject([{ what, mark: 'changes the question', rules_out: true }]);
  });

  test('another model, where no hashes tell', () => {
    const plain = (id: string, revision: string) => withModelOnly({ id, revision });
    expect(against(plain('m', 'a'), plain('m', 'b'))).toMatchObject({
      standing: 'not comparable',
      differences: [{ what: 'model' }],
    });
    expect(against(plain('m', 'a'), plain('n', 'a')).standing).toBe('not comparable');
    expect(against(plain('m', 'a'), plain('m', 'a')).standing).toBe('comparable');
  });

  test('a thing that only one record holds cannot be told to agree', () => {
    const { threads: _, ...unknown } = environment;
    expect(against(record({ environment: unknown }))).toMatchObject({
      standing: 'not comparable',
      differences: [{ what: 'threads', a: '4 threads', b: 'not recorded' }],
    });
  });

  test('two deliberate changes at once have no single cause', () => {
    const { standing, question } = against(record({}, { use_cache: false, logits: 'all' }));
    expect(standing).toBe('not comparable');
    expect(question).toContain('2 things differ at once (KV cache, logits)');
    expect(against(record({}, { use_cache: false, prompt: 'Why?' })).standing).toBe('not comparable');
  });
});

function withModelOnly(only: ModelInfo): TraceRecord {
  return record({ model: only });
}

test.each<[string, TraceRecord]>([
  ['KV cache', record({}, { use_cache: false })],
  ['chunked prefill', record({}, { chunk_size: 64 })],
  ['logits', record({}, { logits: 'all' })],
  ['runtime', withEnvironment({ onnxruntime: '1.31.0' })],
  ['host process', withEnvironment({ host: 'electron' })],
  ['attention', withModel({ attention_backend: 'sdpa' })],
  ['measuring program', withEnvironment({ tokenscope: '0.2.0' })],
])('one thing that is compared on purpose: %s', (what, other) => {
  const { standing, question, differences } = against(other);
  expect(standing).toBe('comparable');
  expect(question).toContain(`One thing differs, ${what}`);
  expect(differences).toMatchObject([{ what, mark: 'changes the question', rules_out: false }]);
});

test.each<[string, TraceRecord]>([
  ['prompt', record({}, { prompt: 'Why?' })],
  ['prompt', record({}, { prompt: 'Why?', prompt_tokens: 400 })],
  ['length of the replies', replies(9)],
])('another question: %s', (what, other) => {
  const { standing, question, differences } = against(other);
  expect(standing).toBe('another question');
  expect(question).toContain('answers a different question');
  expect(differences).toMatchObject([{ what, mark: 'changes the question', rules_out: false }]);
});

function replies(tokens: number): TraceRecord {
  const of = record();
  return {
    ...of,
    runs: [
      {
        name: 'run',
        samples: of.runs[0]!.samples.map((sample) => ({
          ...madeUpSample({ tokens }),
          max_new_tokens: 5,
          cancel_after: null,
          logits: sample.logits!,
        })),
      },
    ],
  };
}

test.each<[string, TraceRecord]>([
  ['date', record({ created_at: '2026-12-01T00:00:00Z' })],
  ['measuring program', withEnvironment({ tokenscope: '0.1.9' })],
  ['source of the measuring program', record({ source_sha256: 'dd' })],
  ['operating system', withEnvironment({ platform: 'linux-6.2-x64' })],
  ['memory', withEnvironment({ memory_bytes: 32e9 })],
  ['tokenizer library', withEnvironment({ transformers: '4.4.0' })],
  ['end of the experiment', record({ status: 'cancelled' })],
  ['name of the model', withModel({ id: 'renamed' })],
])('harmless: %s', (what, other) => {
  const { standing, differences } = against(other);
  expect(standing).toBe('comparable');
  expect(differences).toMatchObject([{ what, mark: 'harmless', rules_out: false }]);
});

test('what neither of two records holds is named as taken to be the same', () => {
  const bare = (): TraceRecord =>
    madeUpRecord([
      { name: 'run', samples: [{ generated_token_ids: [1], generated_tokens: 1, ttft_ms: 1, itl_ms: [], e2e_ms: 1 }] },
    ]);
  expect(against(bare(), bare()).assumed).toEqual([
    'device',
    'threads',
    'runtime',
    'KV cache',
    'chunked prefill',
    'prompt',
  ]);
  const one = bare();
  expect(compareSettings({ record: one, run: one.runs[0]! }, { record: one, run: one.runs[0]! }).assumed).toEqual([]);
});

test('a run whose samples disagree is not the run whose samples agree', () => {
  const mixed = record();
  mixed.runs[0]!.samples[1]!.use_cache = false;
  expect(against(mixed).differences).toMatchObject([{ what: 'KV cache', b: 'no KV cache or KV cache kept' }]);
});

test('texts of records are made safe to print', () => {
  const { differences } = against(withEnvironment({ cpu: 'evil\u001b[31m\u202Ecpu' }));
  expect(differences[0]!.b).toBe('evil\uFFFD[31m\uFFFDcpu (8 threads in all)');
});
