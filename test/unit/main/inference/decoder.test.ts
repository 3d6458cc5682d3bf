import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LoadedModel, runRequest } from '../../../../main/inference/decoder.ts';
import { TokenscopeError } from '../../../../shared/errors.ts';
import type { DecodeRequest } from '../../../../shared/request.ts';
import { sampleRefusal } from '../../../../shared/refusals.ts';
import { LONG_PROMPT, SHORT_PROMPT } from '../../../../shared/standard-suite.ts';
import { loadDemo, request, sampleOf } from '../../../support/demo.ts';

let demo: LoadedModel;
beforeAll(async () => {
  demo = await loadDemo();
});
afterAll(() => demo.session.release());

describe('every way through the graph gives the same tokens', () => {
  const ways: [string, Partial<DecodeRequest>][] = [
    ['without a cache', { use_cache: false }],
    ['in chunks of 1', { chunk_size: 1 }],
    ['in chunks of 7', { chunk_size: 7 }],
    ['in chunks of 64', { chunk_size: 64 }],
    ['in one chunk larger than the prompt', { chunk_size: 100_000 }],
    ['with the logits of all positions', { logits: 'all' }],
    ['with all logits, in chunks', { logits: 'all', chunk_size: 7 }],
    ['with all logits, without a cache', { logits: 'all', use_cache: false }],
  ];
  describe.each([
    ['short', SHORT_PROMPT],
    ['long', LONG_PROMPT],
    ['many bytes', 'Ünïcödé 🚀 שלום\n\t{"a": 1}'],
  ])('%s prompt', (_, prompt) => {
    test.each(ways)('%s', async (_, change) => {
      const plain = await sampleOf(demo, request(prompt, { max_new_tokens: 40 }));
      const other = await sampleOf(demo, request(prompt, { max_new_tokens: 40, ...change }));
      expect(other.generated_token_ids).toEqual(plain.generated_token_ids);
      expect(other.text).toBe(plain.text);
      expect(other.prompt_tokens).toBe(plain.prompt_tokens);
    });
  });
});

describe('a sample', () => {
  test('is a record that the summarizer accepts, and its figures belong together', async () => {
    const sample = await sampleOf(demo, request(LONG_PROMPT, { chunk_size: 64 }));
    expect(sampleRefusal(sample, 'sample')).toBeNull();
    const tokens = sample.generated_tokens;
    expect(sample.itl_ms).toHaveLength(tokens - 1);
    expect(sample.forward_ms).toHaveLength(tokens - 1);
    expect(sample.prefill_ms).toHaveLength(Math.ceil(sample.prompt_tokens! / 64));
    expect(sample.token_texts!.join('')).toBe(sample.text);
    // Whatever the machine does, the parts of the wait cannot be longer than the wait. Rounding: 0.5 us each.
    const parts = sample.tokenization_ms! + sample.prefill_ms!.reduce((sum, ms) => sum + ms, 0);
    expect(parts).toBeLessThanOrEqual(sample.ttft_ms + 0.0005 * (sample.prefill_ms!.length + 2));
    expect(sample.cache_tokens_before_release).toBe(sample.prompt_tokens! + tokens - 1);
  });

  test('without a cache reports none', async () => {
    const sample = await sampleOf(demo, request(SHORT_PROMPT, { use_cache: false }));
    expect(sample.cache_tokens_before_release).toBe(0);
    expect(sample.prefill_ms).toHaveLength(1);
  });

  test('of one token has no intervals and no TPOT', async () => {
    const sample = await sampleOf(demo, request(SHORT_PROMPT, { max_new_tokens: 1 }));
    expect(sample).toMatchObject({
      generated_tokens: 1,
      itl_ms: [],
      forward_ms: [],
      tpot_ms: null,
      stop_reason: 'length',
    });
    expect(sample.e2e_ms).toBe(sample.ttft_ms);
  });

  test('stamps with the clock it is given, from before tokenization', async () => {
    let now = 1000;
    const reads: number[] = [];
    const clock = () => {
      now += 1;
      reads.push(now);
      return now;
    };
    const sample = await sampleOf({ ...demo, clock }, request(SHORT_PROMPT, { max_new_tokens: 3 }));
    // start, tokenized, before and after prefill, token, then before and after each step and its token: one tick each
    expect(sample.tokenization_ms).toBe(1);
    expect(sample.prefill_ms).toEqual([1]);
    expect(sample.ttft_ms).toBe(4);
    expect(sample.itl_ms).toEqual([3, 3]);
    expect(sample.forward_ms).toEqual([1, 1]);
    expect(sample.e2e_ms).toBe(10);
    expect(reads[0]).toBe(1001);
  });
});

describe('a reply ends', () => {
  test('at an end-of-text token, which counts', async () => {
    const sample = await sampleOf(demo, request(SHORT_PROMPT, { max_new_tokens: 400 }));
    expect(sample.stop_reason).toBe('eos');
    expect(demo.eosTokenIds.has(sample.generated_token_ids.at(-1)!)).toBe(true);
    expect(sample.generated_token_ids.slice(0, -1).some((id) => demo.eosTokenIds.has(id))).toBe(false);
  });

  test('at whichever of several end-of-text tokens comes first', async () => {
    const plain = await sampleOf(demo, request(SHORT_PROMPT));
    const [, , third] = plain.generated_token_ids;
    const model = { ...demo, eosTokenIds: new Set([-1, third!]) };
    const sample = await sampleOf(model, request(SHORT_PROMPT));
    expect(sample.generated_token_ids).toEqual(plain.generated_token_ids.slice(0, 3));
    expect(sample.stop_reason).toBe('eos');
  });

  test('by request after n tokens, even where n is the cap', async () => {
    const sample = await sampleOf(demo, request(SHORT_PROMPT, { cancel_after: 4 }));
    expect(sample).toMatchObject({ generated_tokens: 4, stop_reason: 'cancelled' });
    const atCap = await sampleOf(demo, request(SHORT_PROMPT, { cancel_after: 24 }));
    expect(atCap).toMatchObject({ generated_tokens: 24, stop_reason: 'cancelled' });
    const never = await sampleOf(demo, request(SHORT_PROMPT, { cancel_after: 25 }));
    expect(never).toMatchObject({ generated_tokens: 24, stop_reason: 'length' });
  });

  test('at the token after a signal, and keeps its tokens', async () => {
    const stop = new AbortController();
    let seen = 0;
    const result = await runRequest(demo, request(SHORT_PROMPT), {
      onToken: () => {
        seen += 1;
        if (seen === 5) stop.abort();
      },
      signal: stop.signal,
    });
    expect(result).toMatchObject({ kind: 'sample', sample: { generated_tokens: 5, stop_reason: 'cancelled' } });
  });

  test('without a sample if the signal comes before the first token', async () => {
    const stop = new AbortController();
    const result = await runRequest(demo, request(LONG_PROMPT, { chunk_size: 8 }), {
      onPrompt: () => stop.abort(),
      signal: stop.signal,
    });
    expect(result).toEqual({ kind: 'stopped' });
  });
});

describe('refused before anything runs', () => {
  const cases: [string, Partial<DecodeRequest>, RegExp][] = [
    ['an empty prompt', { prompt: ' \n\t ' }, /^prompt: must not be empty/],
    ['a cap of 0', { max_new_tokens: 0 }, /^max_new_tokens: .*at least 1, not 0/],
    ['a negative cap', { max_new_tokens: -3 }, /^max_new_tokens: .*not -3/],
    ['a cap that is no whole number', { max_new_tokens: 1.5 }, /^max_new_tokens: .*not 1\.5/],
    ['a cap that is no number', { max_new_tokens: Number.NaN }, /^max_new_tokens: .*not NaN/],
    ['a chunk of 0', { chunk_size: 0 }, /^chunk_size: .*at least 1, not 0/],
    ['chunks without a cache', { chunk_size: 64, use_cache: false }, /^chunk_size: chunks of 64 need a cache/],
    ['cancelling after 0 tokens', { cancel_after: 0 }, /^cancel_after: .*at least 1, not 0/],
    [
      'more than the context holds',
      { max_new_tokens: 2048 },
      /^max_new_tokens: 33 prompt tokens .* 2081 tokens, the model's context holds 2048 \(use a cap of at most 2015\)/,
    ],
  ];
  test.each(cases)('%s', async (_, change, line) => {
    let passes = 0;
    const counting = {
      ...demo,
      session: {
        ...demo.session,
        run: (...values: Parameters<LoadedModel['session']['run']>) => {
          passes += 1;
          return demo.session.run(...values);
        },
      },
    };
    const error = await runRequest(counting, request(SHORT_PROMPT, change)).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(TokenscopeError);
    expect((error as TokenscopeError).code).toBe('argument');
    expect((error as TokenscopeError).line).toMatch(line);
    expect(passes).toBe(0);
  });

  test('the context is usable to its last token', async () => {
    const sample = await sampleOf(
      { ...demo, eosTokenIds: new Set() },
      request(SHORT_PROMPT, { max_new_tokens: 2048 - 33 }),
    );
    expect(sample.generated_tokens).toBe(2015);
    expect(sample.cache_tokens_before_release).toBe(2047);
  });
});

test('200 requests leave no cache behind, however they end', async () => {
  const gc = globalThis.gc;
  if (gc === undefined) throw new Error('this test needs --expose-gc (see vitest.config.ts)');
  const wait = () => new Promise((resolve) => setImmediate(resolve));
  const settle = async () => {
    // Buffers of the runtime are given back by finalizers, which run after a collection.
    for (let round = 0; round < 3; round++) {
      gc();
      await wait();
    }
    return process.memoryUsage().arrayBuffers;
  };
  const once = async (index: number) => {
    const stop = new AbortController();
    const kinds: Partial<DecodeRequest>[] = [{}, { cancel_after: 2 }, { chunk_size: 64 }, { use_cache: false }];
    await runRequest(demo, request(LONG_PROMPT, { max_new_tokens: 3, ...kinds[index % kinds.length] }), {
      onToken: () => (index % 10 === 9 ? stop.abort() : undefined),
      signal: stop.signal,
    });
  };
  for (let index = 0; index < 20; index++) await once(index);
  const before = await settle();
  for (let index = 0; index < 200; index++) await once(index);
  const after = await settle();
  // One request's cache is about 520 kB (255 tokens x 2,048 bytes): less than that may be left of all 200.
  expect(after - before).toBeLessThan(500_000);
});
