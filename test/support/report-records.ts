import type { Sample, TraceRecord } from '../../shared/record.ts';
import { exactSum, mean, roundTo3 } from '../../shared/statistics.ts';
import { randomStream } from '../../shared/random-stream.ts';

/** Records made up for reports: each is consistent in itself, and the same each time. */

export interface MadeUp {
  readonly tokens: number;
  readonly ttft?: number;
  readonly pace?: number;
  /** A stall of this many times the pace at every so many tokens. */
  readonly stallEvery?: number;
  readonly seed?: number;
  readonly more?: Partial<Sample>;
}

export function madeUpSample({ tokens, ttft = 40, pace = 20, stallEvery = 0, seed = 1, more = {} }: MadeUp): Sample {
  const random = randomStream(seed, 0);
  const itl = Array.from({ length: Math.max(0, tokens - 1) }, (_, index) =>
    roundTo3(pace * (0.9 + 0.2 * random()) * (stallEvery > 0 && (index + 7) % stallEvery === 0 ? 9 : 1)),
  );
  const first = roundTo3(ttft * (0.95 + 0.1 * random()));
  return {
    prompt: 'Why is the sky blue?',
    prompt_tokens: 44,
    generated_token_ids: Array.from({ length: tokens }, (_, index) => 100 + index),
    generated_tokens: tokens,
    use_cache: true,
    chunk_size: null,
    stop_reason: 'length',
    tokenization_ms: 0.5,
    ttft_ms: first,
    tpot_ms: itl.length === 0 ? null : roundTo3(mean(itl)),
    itl_ms: itl,
    e2e_ms: roundTo3(first + exactSum(itl)),
    ...more,
  };
}

export function madeUpRecord(runs: TraceRecord['runs'], more: Partial<TraceRecord> = {}): TraceRecord {
  return {
    model: { id: 'example/model-1b', dtype: 'float32' },
    generation: { strategy: 'greedy argmax', max_new_tokens: 24, do_sample: false, warmup_tokens: 4 },
    runs,
    batch_sweep: [],
    prefix_reuse: null,
    ...more,
  };
}

export const HOSTILE = `</script><script>alert(1)</script><img src=x onerror=alert(1)> "&'\u202E\u0000]]>`;

/** One run with one token, and nothing that a record of version 0 may leave out. */
export const SHORT = madeUpRecord([
  {
    name: 'one',
    samples: [{ generated_token_ids: [7], generated_tokens: 1, ttft_ms: 12.5, itl_ms: [], e2e_ms: 12.5 }],
  },
]);

/** 4,000 tokens, measured chunks, stalls. */
export const LONG = madeUpRecord(
  [
    {
      name: 'long reply',
      samples: [1, 2, 3].map((seed) =>
        madeUpSample({
          tokens: 4000,
          ttft: 4000,
          seed,
          stallEvery: 900,
          more: { chunk_size: 512, prefill_ms: [900, 950, 980, 900] },
        }),
      ),
    },
    { name: 'short reply', samples: [1, 2, 3].map((seed) => madeUpSample({ tokens: 40, seed })) },
  ],
  {
    schema_version: 1,
    created_at: '2026-11-30T03:05:09.123Z',
    environment: {
      device: 'cpu',
      threads: 4,
      cpu: 'Example CPU with 8 cores at 3.00 GHz',
      memory_bytes: 16e9,
      onnxruntime: '1.30.0',
      platform: 'linux-6.1.0-x64',
      host: 'node',
      node: '20.20.2',
      tokenscope: '0.1.0',
    },
    load: { model_ms: 812.4, tokenizer_ms: 233.9, reused: false },
    warmup: madeUpSample({ tokens: 4, ttft: 90 }),
  },
);

/** Twelve runs whose names are long, hostile or in scripts that the fonts do and do not have. */
export const EXTREME = madeUpRecord(
  [
    'a name that goes on and on until nobody can tell any more what was measured here or why it would matter to anyone',
    'Ünïcödé Ελληνικά Кириллица',
    '日本語の名前 と 한국어 이름',
    'اسم عربي שם עברי',
    '👩‍👩‍👧 family 🏳️‍🌈',
    HOSTILE,
    'W'.repeat(300),
    'zero\u0000control\u001b[31mred',
    'a\u0301\u0302\u0303\u0304 combining',
    '=HYPERLINK("http://example.org")',
    'undefined',
    'tiny',
  ].map((name, index) => ({
    name,
    samples: Array.from({ length: 1 + (index % 4) * 2 }, (_, seed) =>
      madeUpSample({
        tokens: [1, 2, 24, 300][index % 4]!,
        ttft: 10 ** (index % 5),
        seed: seed + index,
        stallEvery: 11,
      }),
    ),
  })),
  {
    model: { id: `${HOSTILE}/${'very-long-name-'.repeat(20)}`, weights: 'synthetic' },
    limits: `${HOSTILE} ${'and another limit of what this says; '.repeat(30)}`,
    status: 'cancelled',
    status_reason: HOSTILE,
    batch_sweep: [1, 2, 4, 8].map((size) => ({
      batch_size: size,
      elapsed_ms: 1000,
      output_tokens: 24 * size,
      output_tokens_per_s: 24 * size,
      texts: [],
    })),
  },
);

/** 100,000 tokens in one reply. */
export function hugeRecord(): TraceRecord {
  return madeUpRecord([{ name: 'huge', samples: [madeUpSample({ tokens: 100_000, stallEvery: 9000 })] }]);
}
