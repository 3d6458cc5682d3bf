import type { PlanInput } from './plan.ts';

/** The reference lab's prompts: a short question, and the same question behind twenty sentences of context. */
export const SHORT_PROMPT = 'Explain why a code assistant should stop generating when its user cancels.';
export const LONG_PROMPT =
  'A retrieval service indexes source code and returns relevant functions. '.repeat(20) + SHORT_PROMPT;
const WARMUP_PROMPT = 'Explain a cache in one sentence.';

/**
 * The reference lab's five runs, batch sweep and prefix reuse, with its names and prompts, and one run more:
 * `long_full_logits` shows how much of the wait is logits of prompt positions that nobody reads.
 */
export const STANDARD_SUITE: PlanInput = {
  name: 'standard suite',
  warmup: { prompt: WARMUP_PROMPT, max_new_tokens: 4 },
  runs: [
    { name: 'short_cached', prompt: SHORT_PROMPT },
    { name: 'long_cached', prompt: LONG_PROMPT },
    { name: 'short_without_cache', prompt: SHORT_PROMPT, use_cache: false },
    { name: 'long_chunked', prompt: LONG_PROMPT, chunk_size: 64 },
    { name: 'cancelled', prompt: SHORT_PROMPT, cancel_after: 4 },
    { name: 'long_full_logits', prompt: LONG_PROMPT, logits: 'all' },
  ],
  batch_sweep: { prompts: [SHORT_PROMPT], batch_sizes: [1, 2, 4] },
  prefix_reuse: { prefix: LONG_PROMPT, suffix: ' Give one practical example.' },
};
