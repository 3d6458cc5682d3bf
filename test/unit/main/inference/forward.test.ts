import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LoadedModel } from '../../../../main/inference/decoder.ts';
import { createForward, type Logits } from '../../../../main/inference/forward.ts';
import { loadDemo } from '../../../support/demo.ts';

let demo: LoadedModel;
let ids: BigInt64Array;
beforeAll(async () => {
  demo = await loadDemo();
  ids = BigInt64Array.from(demo.tokenizer.encodePrompt('What is a KV cache?'), BigInt);
});
afterAll(() => demo.session.release());

const lastRow = (logits: Logits | undefined) => [
  ...logits!.data.subarray((logits!.positions - 1) * logits!.vocabulary, logits!.positions * logits!.vocabulary),
];
const largestGap = (left: number[], right: number[]) =>
  Math.max(...left.map((value, i) => Math.abs(value - right[i]!)));

describe('logits, not only the tokens they choose', () => {
  test.each([1, 2, 5])('are the same from a cache grown by %i as from the whole context', async (chunk) => {
    const cached = createForward(demo.session, demo.constants);
    const whole = createForward(demo.session, demo.constants);
    for (let from = 0; from < ids.length; from += chunk) {
      const end = Math.min(from + chunk, ids.length);
      const grown = lastRow(await cached.extend(ids.subarray(from, end), 'last'));
      const fresh = lastRow(await whole.evaluate(ids.subarray(0, end), 'last'));
      // Float32 sums in another order; the logits are of size 10.
      expect(largestGap(grown, fresh)).toBeLessThan(1e-4);
    }
    expect(cached.length).toBe(ids.length);
    expect(whole.length).toBe(0);
  });

  test('of all positions end with those of the last', async () => {
    const forward = createForward(demo.session, demo.constants);
    const all = await forward.evaluate(ids, 'all');
    const last = await forward.evaluate(ids, 'last');
    expect(all.positions).toBe(ids.length);
    expect(last.positions).toBe(1);
    expect(largestGap(lastRow(all), lastRow(last))).toBeLessThan(1e-4);
  });

  test('are none where none are wanted, and the cache grows all the same', async () => {
    const skipping = createForward(demo.session, demo.constants);
    expect(await skipping.extend(ids.subarray(0, 7), 'none')).toBeUndefined();
    expect(skipping.length).toBe(7);
    const rest = lastRow(await skipping.extend(ids.subarray(7), 'last'));
    const whole = lastRow(await createForward(demo.session, demo.constants).evaluate(ids, 'last'));
    expect(largestGap(rest, whole)).toBeLessThan(1e-4);
  });
});

test('a released context starts anew', async () => {
  const forward = createForward(demo.session, demo.constants);
  const first = lastRow(await forward.extend(ids, 'last'));
  forward.release();
  expect(forward.length).toBe(0);
  expect(lastRow(await forward.extend(ids, 'last'))).toEqual(first);
});
