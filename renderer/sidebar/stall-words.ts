import type { RecordSummary } from '../../shared/summary.ts';
import { count } from '../../shared/units.ts';

/** How many stalls in how many samples. */
export function stallWords(summary: RecordSummary): string {
  const stalls = summary.runs.reduce((sum, run) => sum + run.stalls.count, 0);
  const samples = summary.runs.reduce((sum, run) => sum + run.stalls.samples, 0);
  return stalls === 0 ? 'none' : `${count(stalls)} in ${count(samples)} ${samples === 1 ? 'sample' : 'samples'}`;
}
