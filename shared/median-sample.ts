import type { Run } from './record.ts';

/** Index of the sample whose whole time is the run's median; the faster one of two in the middle. -1 without samples. */
export function medianSample(run: Run): number {
  const order = run.samples.map((_, index) => index);
  order.sort((x, y) => (run.samples[x]?.e2e_ms ?? 0) - (run.samples[y]?.e2e_ms ?? 0) || x - y);
  return order[(order.length - 1) >> 1] ?? -1;
}
