import { messageOf } from '../../shared/errors.ts';
import { fullSummary, jsonText } from '../../shared/json-output.ts';
import { printable, recordError } from '../../shared/problem.ts';
import type { TraceRecord } from '../../shared/record.ts';
import { csvTable } from '../../shared/run-table.ts';
import { type ReferenceSummary, summarizeRecord } from '../../shared/summarize.ts';
import { summaryMarkdown, summaryText } from '../../shared/summary-text.ts';
import type { RecordSummary } from '../../shared/summary.ts';
import { escapeMarkdown, renderCsv } from '../../shared/text-table.ts';
import { readRecordFile } from '../record-files.ts';

export const ANALYZE_FORMATS = ['table', 'json', 'full-json', 'markdown', 'csv'] as const;
export type AnalyzeFormat = (typeof ANALYZE_FORMATS)[number];

/** Where the text goes, and how wide the terminal is (80 when it is not known). */
export interface AnalyzeIo {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly columns?: number;
}

const DEFAULT_COLUMNS = 80;
/** A wider table is harder to read, not easier. */
const MAX_COLUMNS = 140;

interface Analysis {
  readonly file: string;
  readonly record: TraceRecord;
  readonly reference: ReferenceSummary;
  readonly summary: RecordSummary;
}

/**
 * Prints the summaries of record files: 0 when all were read, 1 when any was refused. A refused file is one line on
 * stderr, `file: place in the record: reason and figures`, and nothing on stdout.
 *
 * `json` prints the reference lab's value and nothing else; `full-json` the same value with the field `summary`. Of
 * several files both print a list with the values of those that were read, in the order given.
 */
export async function analyze(files: readonly string[], format: AnalyzeFormat, io: AnalyzeIo): Promise<number> {
  const analyses: Analysis[] = [];
  for (const file of files) {
    const result = await analyzeFile(file);
    if ('refusal' in result) io.stderr(`${printable(result.refusal)}\n`);
    else analyses.push(result);
  }
  if (analyses.length > 0 || files.length > 1) {
    io.stdout(RENDERERS[format](analyses, files.length > 1, io.columns));
  }
  return analyses.length === files.length ? 0 : 1;
}

async function analyzeFile(file: string): Promise<Analysis | { readonly refusal: string }> {
  try {
    const parsed = await readRecordFile(file);
    if (!parsed.ok) return { refusal: `${file}: ${recordError(parsed.code, parsed.problems).line}` };
    const { record } = parsed;
    const result = summarizeRecord(record);
    if (!result.ok) return { refusal: `${file}: ${recordError('record', result.problems).line}` };
    return { file, record, reference: result.reference, summary: result.summary };
  } catch (error) {
    const line = messageOf(error);
    return { refusal: line.startsWith(`${file}: `) ? line : `${file}: ${line}` };
  }
}

/** The summary of a record for a terminal. Throws a TokenscopeError for a record that cannot be true. */
export function summaryTable(record: TraceRecord, columns?: number): string {
  const result = summarizeRecord(record);
  if (!result.ok) throw recordError('record', result.problems);
  return summaryText(record, result.summary, tableWidth(columns));
}

/** How wide a table may be in a terminal of so many columns. */
export function tableWidth(columns: number | undefined): number {
  return Math.min(columns ?? DEFAULT_COLUMNS, MAX_COLUMNS);
}

/** How each format prints what was read; `several` tells whether more than one file was asked for. */
const RENDERERS: {
  readonly [format in AnalyzeFormat]: (analyses: readonly Analysis[], several: boolean, columns?: number) => string;
} = {
  table: (analyses, several, columns) =>
    documents(
      analyses,
      (file) => (several ? `== ${file} ==\n\n` : ''),
      ({ record, summary }) => summaryText(record, summary, tableWidth(columns)),
    ),
  markdown: (analyses, several) =>
    documents(
      analyses,
      (file) => (several ? `## ${escapeMarkdown(file)}\n\n` : ''),
      ({ record, summary }) => summaryMarkdown(record, summary),
    ),
  csv: (analyses, several) =>
    renderCsv(csvTable(analyses.map(({ file, summary }) => ({ file: several ? file : null, runs: summary.runs })))),
  json: (analyses, several) =>
    values(
      analyses.map(({ reference }) => reference),
      several,
    ),
  'full-json': (analyses, several) =>
    values(
      analyses.map(({ reference, summary }) => fullSummary(reference, summary)),
      several,
    ),
};

function documents(
  analyses: readonly Analysis[],
  title: (file: string) => string,
  body: (analysis: Analysis) => string,
): string {
  return analyses.map((analysis) => title(printable(analysis.file)) + body(analysis)).join('\n');
}

function values(of: readonly unknown[], several: boolean): string {
  return jsonText(several ? of : of[0]);
}
