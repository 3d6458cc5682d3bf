import type { Subject } from '../../shared/compare-records.ts';
import type { Run, Sample, TraceRecord } from '../../shared/record.ts';

/** The two that are compared. */
export interface ComparedPair {
  readonly a: Subject;
  readonly b: Subject;
}

/**
 * The two without what a comparison does not look at: other runs, and texts of tokens, of which only those of the first
 * samples are read. To hand over the whole records would take the page longer than much of the work does.
 */
export function withoutTheRest({ a, b }: ComparedPair): ComparedPair {
  // That both runs are of one record is told by its being the same object.
  const records = new Map<TraceRecord, TraceRecord>();
  const light = (subject: Subject): Subject => {
    if (subject.kind === 'batch') return subject;
    const { record, run } = subject;
    const kept = records.get(record) ?? { ...record, runs: [], batch_sweep: [] };
    records.set(record, kept);
    return { kind: 'run', record: kept, run: lightRun(run) };
  };
  return { a: light(a), b: light(b) };
}

function lightRun(run: Run): Run {
  return { ...run, samples: run.samples.map((sample, index) => (index === 0 ? sample : withoutTexts(sample))) };
}

function withoutTexts(sample: Sample): Sample {
  const rest = { ...sample };
  delete rest.token_texts;
  return rest;
}
