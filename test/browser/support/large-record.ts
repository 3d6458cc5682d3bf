import type { Sample, TraceRecord } from '../../../shared/record.ts';
import { exactSum, mean, roundTo3 } from '../../../shared/statistics.ts';

/** A consistent record of any size: intervals around 24 ms, a stall now and then. The same for the same sizes. */
export function largeRecord({ samples, tokens }: { samples: number; tokens: number }): TraceRecord {
  const words = [' the', ' request', ' was', '\n', ' cancelled', ' 🙂', '.', ' because'];
  const sample = (seed: number): Sample => {
    const intervals = Array.from({ length: tokens - 1 }, (_, index) => {
      const noise = ((index * 7919 + seed * 104_729) % 1000) / 1000;
      return roundTo3((index + seed) % 997 === 500 ? 180 + noise : 22 + 5 * noise);
    });
    return {
      prompt: 'A large record.',
      prompt_tokens: 44,
      generated_token_ids: Array.from({ length: tokens }, (_, index) => index % 150_000),
      generated_tokens: tokens,
      token_texts: Array.from({ length: tokens }, (_, index) => words[index % words.length]!),
      stop_reason: 'length',
      tokenization_ms: 0.5,
      ttft_ms: 40,
      tpot_ms: intervals.length > 0 ? roundTo3(mean(intervals)) : null,
      itl_ms: intervals,
      e2e_ms: roundTo3(40 + exactSum(intervals)),
    };
  };
  return {
    schema_version: 1,
    model: { id: 'a/large-one' },
    generation: { strategy: 'greedy argmax', max_new_tokens: tokens, do_sample: false, warmup_tokens: 0 },
    runs: [{ name: 'large', samples: Array.from({ length: samples }, (_, seed) => sample(seed)) }],
    batch_sweep: [],
    prefix_reuse: null,
  };
}
