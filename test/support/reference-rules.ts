/**
 * The reference lab's rules for one sample, read once more from its description and written another way than
 * shared/refusals.ts: one table of questions. Used to hold our records and our summarizer against.
 */

interface Loose {
  [key: string]: unknown;
}

const isMs = (value: unknown) => typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY;

/** Sums in thousandths of a nanosecond as whole numbers, so that no order of adding can matter. */
function total(values: readonly number[]): number {
  return Number(values.reduce((sum, value) => sum + BigInt(Math.round(value * 1e6)), 0n)) / 1e6;
}

const QUESTIONS: [reason: string, holds: (sample: Loose) => boolean][] = [
  [
    'Timing values must be finite and nonnegative',
    (sample) => [sample['ttft_ms'], sample['e2e_ms'], ...(sample['itl_ms'] as unknown[])].every(isMs),
  ],
  [
    'Token count mismatch',
    (sample) => (sample['generated_token_ids'] as unknown[]).length === sample['generated_tokens'],
  ],
  ['Invalid token timing', (sample) => (sample['e2e_ms'] as number) >= (sample['ttft_ms'] as number)],
  [
    'Missing token intervals',
    (sample) => (sample['itl_ms'] as unknown[]).length === Math.max((sample['generated_tokens'] as number) - 1, 0),
  ],
  [
    'Intervals do not account for end-to-end timing',
    (sample) => {
      const intervals = sample['itl_ms'] as number[];
      const decode = (sample['e2e_ms'] as number) - (sample['ttft_ms'] as number);
      const gap = Math.abs(total(intervals) - decode);
      return gap <= Math.max(0.002 * Math.max(1, intervals.length), 1e-9 * Math.max(total(intervals), decode));
    },
  ],
];

/** The first reason to refuse a run's samples, or undefined. */
export function referenceRefusal(samples: readonly unknown[]): string | undefined {
  if (samples.length === 0) return 'At least one completed generation is required';
  for (const sample of samples) {
    const broken = QUESTIONS.find(([, holds]) => !holds(sample as Loose));
    if (broken !== undefined) return broken[0];
  }
  return undefined;
}

/** Whether the reference lab's analyzer would print a summary of this record. */
export function acceptedByReference(record: unknown): boolean {
  const { model, generation, runs, batch_sweep, prefix_reuse } = record as Loose;
  const parts = [model, generation, batch_sweep, prefix_reuse];
  return (
    parts.every((part) => part !== undefined) &&
    (runs as { samples: unknown[] }[]).every((run) => referenceRefusal(run.samples) === undefined)
  );
}
