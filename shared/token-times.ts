import type { Sample } from './record.ts';

/**
 * When each token was available, in milliseconds from the start of the request; empty for a reply without a token.
 * The first is `ttft_ms` and the last `e2e_ms`. Stored intervals are rounded, so their sum misses the end by up to
 * 0.002 ms each: that is spread over them in proportion. For samples that were not refused.
 */
export function tokenTimes(sample: Sample): Float64Array {
  const { ttft_ms: ttft, e2e_ms: e2e, itl_ms: intervals, generated_tokens: tokens } = sample;
  const times = new Float64Array(Math.max(0, tokens));
  if (times.length === 0) return times;
  let sum = 0;
  intervals.forEach((interval, index) => {
    sum += interval;
    times[index + 1] = sum;
  });
  const scale = sum > 0 ? (e2e - ttft) / sum : 0;
  for (let index = 0; index < times.length; index += 1) times[index] = ttft + (times[index] ?? 0) * scale;
  times[times.length - 1] = e2e;
  return times;
}
