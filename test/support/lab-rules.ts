/**
 * The reference lab's rules read afresh, in another style than shared/refusals.ts: over plain JSON values, with exact
 * rational arithmetic instead of doubles. For tests that hold the two readings against each other.
 */
export type Verdict = null | 'noSample' | 'timing' | 'tokenCount' | 'tokenTiming' | 'intervals' | 'sum';

interface Loose {
  [field: string]: unknown;
}

export function labVerdict(samples: readonly Loose[]): Verdict {
  if (samples.length === 0) return 'noSample';
  return samples.map(verdictOf).find((verdict) => verdict !== null) ?? null;
}

function verdictOf(sample: Loose): Verdict {
  const intervals = sample.itl_ms as unknown[];
  const ids = sample.generated_token_ids as unknown[];
  const rules: [Verdict, () => boolean][] = [
    [
      'timing',
      () =>
        [sample.ttft_ms, sample.e2e_ms, ...intervals].every(
          (time) => typeof time === 'number' && time >= 0 && time < Infinity,
        ),
    ],
    ['tokenCount', () => sample.generated_tokens === ids.length],
    ['tokenTiming', () => Number(sample.e2e_ms) >= Number(sample.ttft_ms)],
    ['intervals', () => intervals.length === (ids.length === 0 ? 0 : ids.length - 1)],
    ['sum', () => accounted(intervals as number[], Number(sample.e2e_ms) - Number(sample.ttft_ms))],
  ];
  return rules.find(([, holds]) => !holds())?.[0] ?? null;
}

/** |sum - decode| <= max(1e-9 * the larger, 0.002 * intervals), all in whole units of 2^-1074. */
function accounted(intervals: readonly number[], decode: number): boolean {
  const sum = intervals.reduce((total, interval) => total + exact(interval), 0n);
  const target = exact(decode);
  const difference = sum > target ? sum - target : target - sum;
  const relative = (sum > target ? sum : target) / 1_000_000_000n;
  const absolute = exact(0.002 * Math.max(1, intervals.length));
  return difference <= (relative > absolute ? relative : absolute);
}

/** A double of at least 0 as a whole number of its smallest units. */
function exact(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = (bits >> 52n) & 0x7ffn;
  const fraction = bits & 0xfffffffffffffn;
  return exponent === 0n ? fraction : (fraction | 0x10000000000000n) << (exponent - 1n);
}
