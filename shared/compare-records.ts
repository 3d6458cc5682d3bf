import { type Comparison, type MetricComparison, DEFAULT_SEED, compareRuns } from './compare.ts';
import { TokenscopeError } from './errors.ts';
import { formatPath, quoted } from './problem.ts';
import type { Batch, Run, TraceRecord } from './record.ts';
import { summarizeRun } from './run-summary.ts';

/** What can be compared: a run, or one batch of the sweep, which has a loop of its own. */
export type Subject =
  | { readonly kind: 'run'; readonly record: TraceRecord; readonly run: Run }
  | { readonly kind: 'batch'; readonly name: string; readonly batch: Batch };

export interface RecordComparison {
  readonly comparisons: readonly Comparison[];
  /** Runs without a counterpart of their name. */
  readonly only_in_a: readonly string[];
  readonly only_in_b: readonly string[];
}

/** A stage trace and a batch sweep are measured by different loops; no two figures of them answer one question. */
export const BATCH_REASON =
  'Batch-sweep figures come from a loop of their own, and from one measurement each: they are not compared with the stage trace or with each other.';

/**
 * The run of that name (the later of two, as everywhere), or `batch_sweep[1]` by its place in the record. Throws a TokenscopeError
 * that lists the names there are.
 */
export function findSubject(record: TraceRecord, name: string): Subject {
  const run = record.runs.findLast((each) => each.name === name);
  if (run !== undefined) return { kind: 'run', record, run };
  const place = /^batch_sweep(?:\[(\d+)\])?$/.exec(name);
  const index = Number(place?.[1] ?? 0);
  const batch = place === null ? undefined : record.batch_sweep[index];
  if (batch !== undefined) return { kind: 'batch', name: formatPath(['batch_sweep', index]), batch };
  const names = [...record.runs.map((each) => each.name), ...record.batch_sweep.map((_, at) => `batch_sweep[${at}]`)];
  throw new TokenscopeError('argument', `the record has no run named ${quoted(name)}`, {
    remedy: names.length === 0 ? 'the record holds no runs' : `it has ${names.slice(0, 12).map(quoted).join(', ')}`,
  });
}

/** Two subjects, of one record or of two. */
export function compareSubjects(a: Subject, b: Subject, seed = DEFAULT_SEED): Comparison {
  if (a.kind === 'run' && b.kind === 'run') return compareRuns(a, b, seed);
  return {
    a: nameOf(a),
    b: nameOf(b),
    standing: 'not comparable',
    question: BATCH_REASON,
    differences: [
      {
        what: 'loop',
        a: loopOf(a),
        b: loopOf(b),
        mark: 'changes the question',
        rules_out: true,
      },
    ],
    assumed: [],
    output: { same: null },
    metrics: [sideBySide(a, b)],
    method: null,
  };
}

/** Every run of `a` with the run of the same name in `b`. */
export function compareRecords(a: TraceRecord, b: TraceRecord, seed = DEFAULT_SEED): RecordComparison {
  const namesA = new Set(a.runs.map(({ name }) => name));
  const namesB = new Set(b.runs.map(({ name }) => name));
  const both = [...namesA].filter((name) => namesB.has(name));
  return {
    comparisons: both.map((name) => compareSubjects(findSubject(a, name), findSubject(b, name), seed)),
    only_in_a: [...namesA].filter((name) => !namesB.has(name)),
    only_in_b: [...namesB].filter((name) => !namesA.has(name)),
  };
}

function nameOf(subject: Subject): string {
  return subject.kind === 'run' ? subject.run.name : subject.name;
}

function loopOf(subject: Subject): string {
  return subject.kind === 'run' ? 'stage trace of single requests' : `static batch of ${subject.batch.batch_size}`;
}

function sideBySide(a: Subject, b: Subject): MetricComparison {
  return {
    metric: 'decode_tokens_per_s',
    label: 'tokens/s',
    unit: 'tokens/s',
    better: 'higher',
    a: rateOf(a),
    b: rateOf(b),
    difference: null,
    ratio: null,
    interval: null,
    ratio_interval: null,
    samples: { a: samplesOf(a), b: samplesOf(b) },
    verdict: null,
    samples_needed: null,
  };
}

function rateOf(subject: Subject): number | null {
  return subject.kind === 'run' ? summarizeRun(subject.run).decode_tokens_per_s : subject.batch.output_tokens_per_s;
}

function samplesOf(subject: Subject): number {
  return subject.kind === 'run' ? subject.run.samples.length : 1;
}
