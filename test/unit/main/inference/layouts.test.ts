import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { runBatch } from '../../../../main/inference/batch.ts';
import type { LoadedModel } from '../../../../main/inference/decoder.ts';
import { asBits } from '../../../../main/inference/float16.ts';
import { createForward, emptyCaches, lastLogits, readLogits } from '../../../../main/inference/forward.ts';
import { loadModel } from '../../../../main/inference/load-model.ts';
import { findModel } from '../../../../main/model-folder.ts';
import type { RecordHeader } from '../../../../shared/messages.ts';
import { createSession, int64, largestDifference } from '../../../support/decoder-runtime.ts';
import { request, sampleOf } from '../../../support/demo.ts';
import { type DecoderVariant, writeDecoder } from '../../../support/small-decoder.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

/** Sums in another order: logits are of size 3. */
const EXACT = 1e-4;
/** Half precision has 11 bits, and every layer rounds. */
const HALF = 0.05;
/**
 * The scale of dynamically quantized activations depends on all positions of a pass, so evaluating a prompt in parts is
 * another rounding: a property of such models, not of the loop.
 */
const DYNAMIC = 0.8;

const VARIANTS: [string, DecoderVariant, number][] = [
  ['decomposed attention', {}, EXACT],
  ['no position_ids', { positionIds: false }, EXACT],
  ['a tied head', { tied: true }, EXACT],
  ['num_logits_to_keep', { head: 'keep' }, EXACT],
  ['a head that is not found', { head: 'reshaped' }, EXACT],
  ['a head for the last position only', { head: 'cut' }, EXACT],
  ['layers with caches of their own shape', { kvHeads: [1, 4, 2], headDim: 16 }, EXACT],
  ['external data', { data: 'external' }, EXACT],
  ['external data in two files', { data: 'sharded' }, EXACT],
  ['a float16 cache', { cache: 'float16' }, EXACT],
  ['float16 logits', { logits: 'float16' }, HALF],
  ['float16 throughout', { compute: 'float16', logits: 'float16' }, HALF],
  ['float16 with float32 logits and a tied head', { compute: 'float16', tied: true }, HALF],
  ['GroupQueryAttention', { attention: 'gqa', headDim: 16 }, EXACT],
  [
    'GroupQueryAttention with position_ids that nothing reads',
    { attention: 'gqa', positionIds: true, headDim: 16 },
    EXACT,
  ],
  ['GroupQueryAttention in float16', { attention: 'gqa', compute: 'float16', kvHeads: [1, 1], headDim: 32 }, HALF],
  ['MatMulNBits of 4 bits', { matrices: 'MatMulNBits 4' }, EXACT],
  [
    'MatMulNBits of 8 bits, with GroupQueryAttention',
    { matrices: 'MatMulNBits 8', attention: 'gqa', headDim: 32 },
    EXACT,
  ],
  ['MatMulBnb4', { matrices: 'MatMulBnb4' }, EXACT],
  ['MatMulNBits in float16', { matrices: 'MatMulNBits 4', compute: 'float16' }, HALF],
  ['GatherBlockQuantized, tied', { embedding: 'GatherBlockQuantized', matrices: 'MatMulNBits 4', tied: true }, EXACT],
  [
    'the form of Gemma 3',
    {
      attention: 'gqa',
      compute: 'float16',
      embedding: 'GatherBlockQuantized',
      matrices: 'MatMulNBits 4',
      tied: true,
      kvHeads: [1, 1],
      headDim: 256,
    },
    HALF,
  ],
  ['DequantizeLinear', { matrices: 'DequantizeLinear' }, EXACT],
  ['MatMulInteger', { matrices: 'MatMulInteger' }, DYNAMIC],
];

const IDS = BigInt64Array.from({ length: 23 }, (_, index) => BigInt((index * 331 + 17) % 1500));
const folder = temporaryFolder();

describe.each(VARIANTS)('%s', (name, variant, tolerance) => {
  const directory = join(folder, name.replaceAll(/\W+/g, '-'));
  let model: LoadedModel;
  let header: RecordHeader;
  beforeAll(async () => {
    writeDecoder(directory, variant);
    ({ model, header } = await loadModel(await findModel(directory), { threads: 1 }));
    return () => model.session.release();
  });

  /** The last position's logits of each prefix, from a cache that grows by `chunk`, and from nothing. */
  async function differences(chunk: number): Promise<number[]> {
    const cached = createForward(model.session, model.constants);
    const whole = createForward(model.session, model.constants);
    const found: number[] = [];
    for (let from = 0; from < IDS.length; from += chunk) {
      const end = Math.min(from + chunk, IDS.length);
      const grown = lastLogits((await cached.extend(IDS.subarray(from, end), 'last'))!);
      const fresh = lastLogits(await whole.evaluate(IDS.subarray(0, end), 'last'));
      found.push(largestDifference(grown, fresh));
    }
    return found;
  }

  test('a cache gives what the whole context gives, token by token and in chunks', async () => {
    for (const chunk of [1, 5, 100]) {
      for (const difference of await differences(chunk)) expect(difference).toBeLessThan(tolerance);
    }
  });

  test('limited logits are those of the graph as it is', async () => {
    const original = await createSession(join(directory, 'onnx/model.onnx'));
    onTestFinished(() => original.release());
    const shape = [1, IDS.length];
    const all = {
      ...emptyCaches(model.session, 1),
      input_ids: int64([...IDS], shape),
      attention_mask: int64(Array<number>(IDS.length).fill(1), shape),
      position_ids: int64([...IDS.keys()], shape),
      num_logits_to_keep: int64([0], []),
    };
    const feeds = Object.fromEntries(Object.entries(all).filter(([input]) => original.inputNames.includes(input)));
    const { logits: full } = await original.run(feeds);
    asBits(full!);
    const expected = readLogits(full!);
    const forward = createForward(model.session, model.constants);
    const last = await forward.evaluate(IDS, 'last');
    const every = await forward.evaluate(IDS, 'all');
    const gives = model.session.signature.logitsControl.kind;
    expect(last.positions).toBe(gives === 'none' ? IDS.length : 1);
    expect(every.positions).toBe(gives === 'last' ? 1 : IDS.length);
    expect(largestDifference(lastLogits(last), lastLogits(expected))).toBeLessThan(tolerance);
    expect(largestDifference(lastLogits(every), lastLogits(expected))).toBeLessThan(tolerance);
    // What is compared is no field of zeros.
    expect(Math.max(...lastLogits(last).map(Math.abs))).toBeGreaterThan(1);
  });

  test('a request says which logits were computed', async () => {
    const kind = model.session.signature.logitsControl.kind;
    expect(kind).toBe({ keep: 'keep', reshaped: 'none', cut: 'last', plain: 'start' }[variant.head ?? 'plain']);
    expect(header.model).toMatchObject({ logits_control: kind, attention_backend: attentionOf(variant) });
    expect(header.model.logits_note !== undefined).toBe(kind === 'none');
    for (const logits of ['last', 'all'] as const) {
      const sample = await sampleOf(model, request('Hi', { logits, max_new_tokens: 3, chunk_size: 7 }));
      expect(sample.logits).toBe(kind === 'none' ? 'all' : kind === 'last' ? 'last' : logits);
      expect(sample.generated_tokens).toBe(3);
    }
  });

  test('every row of a batch is its single request, or the batch is refused', async () => {
    const equal = ['What is a token?', 'What is a cache?'];
    const unequal = ['Hi', 'What is a token, and what is it made of?'];
    for (const prompts of [equal, unequal]) {
      if (variant.attention === 'gqa' && prompts === unequal) {
        await expect(runBatch(model, prompts, 6)).rejects.toThrow(
          /prompts of \d+ to \d+ tokens needs padding on the left/,
        );
        continue;
      }
      const result = await runBatch(model, prompts, 6);
      if (result.kind !== 'batch') throw new Error('stopped');
      expect(result.batch.row_tokens).toHaveLength(2);
      // A rounding may decide between two tokens that are almost equal.
      if (tolerance > EXACT) continue;
      const singles = [];
      for (const prompt of prompts) singles.push((await sampleOf(model, request(prompt, { max_new_tokens: 6 }))).text);
      expect(result.batch.texts).toEqual(singles);
    }
  });
});

function attentionOf(variant: DecoderVariant): string {
  return variant.attention === 'gqa' ? 'GroupQueryAttention' : 'decomposed';
}
