import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LoadedModel } from '../../../../main/inference/decoder.ts';
import { runPrefixReuse } from '../../../../main/inference/prefix-reuse.ts';
import { LONG_PROMPT } from '../../../../shared/standard-suite.ts';
import { loadDemo } from '../../../support/demo.ts';

let demo: LoadedModel;
beforeAll(async () => {
  demo = await loadDemo();
});
afterAll(() => demo.session.release());

test.each([
  ['the standard prefix', LONG_PROMPT, ' Give one practical example.'],
  ['a short text', 'Hi', ''],
  ['a boundary inside a word', 'What is a pre', 'fix cache?'],
])('%s: the suffix behind a cached half chooses the token that the whole chooses', async (_, prefix, suffix) => {
  const total = demo.tokenizer.encodePrompt(prefix + suffix).length;
  const reuse = await runPrefixReuse(demo, prefix, suffix);
  expect(reuse.total_tokens).toBe(total);
  expect(reuse.cached_prefix_tokens).toBe(Math.floor(total / 2));
  expect(reuse.same_greedy_next_token).toBe(true);
  expect(reuse.max_abs_last_logit_diff).toBeLessThan(1e-4);
  expect(reuse.cold_prefill_ms).toBeGreaterThan(0);
  expect(reuse.suffix_prefill_ms).toBeGreaterThan(0);
});

test('a text of one token has no half to reuse', async () => {
  const tokenizer = { ...demo.tokenizer, encodePrompt: () => [5] };
  await expect(runPrefixReuse({ ...demo, tokenizer }, 'x', '')).rejects.toThrow(/1 token together, at least 2/);
});
