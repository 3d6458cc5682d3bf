import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runBatch } from '../../../../main/inference/batch.ts';
import type { LoadedModel } from '../../../../main/inference/decoder.ts';
import { SHORT_PROMPT } from '../../../../shared/standard-suite.ts';
import { loadDemo, request, sampleOf } from '../../../support/demo.ts';

let demo: LoadedModel;
beforeAll(async () => {
  demo = await loadDemo();
});
afterAll(() => demo.session.release());

const PROMPTS = [
  'Hi',
  'What is a KV cache, and why does it grow with every token of a reply?',
  `${'A retrieval service indexes source code. '.repeat(6)}${SHORT_PROMPT}`,
];

describe('a static batch', () => {
  test.each([8, 60, 300])(
    'of three different prompts gives each row its single reply, up to %i tokens',
    async (cap) => {
      const single = [];
      for (const prompt of PROMPTS) single.push(await sampleOf(demo, request(prompt, { max_new_tokens: cap })));
      // The rows differ in length and, with a large cap, in where they end: padding on both counts.
      expect(new Set(single.map((sample) => sample.prompt_tokens)).size).toBe(3);
      const result = await runBatch(demo, PROMPTS, cap);
      expect(result).toMatchObject({
        kind: 'batch',
        batch: {
          batch_size: 3,
          texts: single.map((sample) => sample.text),
          row_tokens: single.map((sample) => sample.generated_tokens),
          output_tokens: single.reduce((sum, sample) => sum + sample.generated_tokens, 0),
        },
      });
    },
  );

  test('of equal prompts gives equal rows', async () => {
    const single = await sampleOf(demo, request(SHORT_PROMPT));
    const result = await runBatch(demo, Array<string>(4).fill(SHORT_PROMPT), 24);
    expect(result).toMatchObject({
      kind: 'batch',
      batch: { texts: Array<string>(4).fill(single.text!), output_tokens: 96 },
    });
  });

  test('throughput is tokens over elapsed time', async () => {
    let now = 0;
    const clock = () => {
      now += 250;
      return now;
    };
    const result = await runBatch({ ...demo, clock }, [SHORT_PROMPT, SHORT_PROMPT], 3);
    // start 250; each row stamped when it ends: 500, 750; end 1000
    expect(result).toMatchObject({
      batch: { elapsed_ms: 750, row_elapsed_ms: [250, 500], output_tokens: 6, output_tokens_per_s: 8 },
    });
  });

  test('stops at a signal', async () => {
    expect(await runBatch(demo, PROMPTS, 8, AbortSignal.abort())).toEqual({ kind: 'stopped' });
  });

  test('is refused where attention takes no padding on the left', async () => {
    const graph = { ...demo.session.graph, opTypes: new Map([['GroupQueryAttention', 4]]) };
    const model = { ...demo, session: { ...demo.session, graph } };
    await expect(runBatch(model, PROMPTS, 8)).rejects.toThrow(
      /batch of 3 prompts of \d+ to \d+ tokens needs padding on the left/,
    );
    await expect(runBatch(model, ['Hi'], 2)).resolves.toMatchObject({ kind: 'batch' });
    await expect(runBatch(model, ['Hi', 'Hi', 'Hi'], 2)).resolves.toMatchObject({ kind: 'batch' });
  });

  test('is refused where its longest row exceeds the context', async () => {
    await expect(runBatch(demo, PROMPTS, 2040)).rejects.toThrow(/context holds 2048/);
  });
});
