import { type RecordComparison, compareRecords, compareSubjects, findSubject } from '../../shared/compare-records.ts';
import { comparisonMarkdown, comparisonText } from '../../shared/comparison-text.ts';
import { jsonText } from '../../shared/json-output.ts';
import { TokenscopeError } from '../../shared/errors.ts';
import { printable } from '../../shared/problem.ts';
import { slowerThan } from '../../shared/regression.ts';
import { tableWidth } from './analyze.ts';
import { EXIT, type Io } from './io.ts';
import { loadRecord } from './load-record.ts';

export const COMPARE_FORMATS = ['table', 'json', 'markdown'] as const;
export type CompareFormat = (typeof COMPARE_FORMATS)[number];

export interface CompareOptions {
  /** The run of A; with one record also of B, unless `with` names another. */
  run?: string;
  with?: string;
  format: CompareFormat;
  /** Percent. */
  failIfSlower?: number;
}

/**
 * Compares B with A, run by run. Returns EXIT.slower when a limit was given and a run of B is slower by more, else
 * EXIT.notComparable when a run of A has no comparable counterpart, else EXIT.fine. With a limit, runs whose prompts
 * differ do not count as comparable: their difference is no slowdown.
 */
export async function compare(a: string, b: string | undefined, options: CompareOptions, io: Io): Promise<number> {
  const result = await compareFiles(a, b, options);
  io.stdout(render(result, options.format, io.columns));
  const limit = options.failIfSlower;
  if (limit !== undefined) {
    const slower = result.comparisons.flatMap((comparison) => slowerThan(comparison, limit));
    for (const line of slower) io.stderr(`${printable(line)}\n`);
    if (slower.length > 0) return EXIT.slower;
  }
  const { comparisons, only_in_a: missing } = result;
  const counts = (standing: string) =>
    standing === 'comparable' || (standing === 'another question' && limit === undefined);
  const all = comparisons.length > 0 && missing.length === 0 && comparisons.every(({ standing }) => counts(standing));
  return all ? EXIT.fine : EXIT.notComparable;
}

async function compareFiles(a: string, b: string | undefined, options: CompareOptions): Promise<RecordComparison> {
  const { run: name } = options;
  const other = options.with ?? name;
  const { record: recordA } = await loadRecord(a);
  const recordB = b === undefined ? recordA : (await loadRecord(b)).record;
  if (name === undefined || other === undefined) {
    if (b !== undefined && options.with === undefined) return compareRecords(recordA, recordB);
    throw new TokenscopeError('argument', 'two runs of one record are compared by their names', {
      remedy: 'name them with --run and --with, or give a second record',
    });
  }
  if (b === undefined && options.with === undefined) {
    throw new TokenscopeError('argument', 'a run of one record is compared with another of its runs', {
      remedy: 'name the other with --with, or give a second record',
    });
  }
  const comparison = compareSubjects(findSubject(recordA, name), findSubject(recordB, other));
  return { comparisons: [comparison], only_in_a: [], only_in_b: [] };
}

function render(result: RecordComparison, format: CompareFormat, columns: number | undefined): string {
  switch (format) {
    case 'table':
      return comparisonText(result, tableWidth(columns));
    case 'markdown':
      return comparisonMarkdown(result);
    case 'json':
      return jsonText(result);
  }
}
