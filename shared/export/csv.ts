import type { Sample, TraceRecord } from '../record.ts';
import { stallIndices } from '../run-summary.ts';
import { mean, roundTo3 } from '../statistics.ts';
import { type Table, renderCsv } from '../text-table.ts';
import { tokenTimes } from '../token-times.ts';

/**
 * Tables for spreadsheets and data frames. Times are in milliseconds; samples and tokens count from 0, as the record's
 * lists do; a cell is empty where the record holds no figure. A text that a spreadsheet would run as a formula (it
 * begins with =, +, -, @, a tab or a carriage return and is no number) gets an apostrophe before it: whoever needs the
 * very texts reads the record.
 */

type Cell = string | number | boolean | null | undefined;

/**
 * One row for each token. `phase` is where the time before the token went: `wait` for the first one, `decode` for the
 * others; `itl_ms` is that time and empty for the first.
 */
export function tokensCsv(record: TraceRecord): string {
  const headers = ['run', 'sample', 'index', 'token_id', 'text', 'at_ms', 'itl_ms', 'phase'];
  const rows = record.runs.flatMap((run) => run.samples.flatMap((sample, index) => tokenRows(run.name, index, sample)));
  return renderCsv(tableOf(headers, rows));
}

function tokenRows(run: string, index: number, sample: Sample): Cell[][] {
  const times = tokenTimes(sample);
  return sample.generated_token_ids.map((id, token) => [
    run,
    index,
    token,
    id,
    sample.token_texts?.[token],
    roundTo3(times[token] ?? 0),
    token === 0 ? null : sample.itl_ms[token - 1],
    token === 0 ? 'wait' : 'decode',
  ]);
}

const SAMPLE_FIELDS: { readonly [header: string]: (sample: Sample) => Cell } = {
  prompt_tokens: (of) => of.prompt_tokens,
  generated_tokens: (of) => of.generated_tokens,
  stop_reason: (of) => of.stop_reason,
  use_cache: (of) => of.use_cache,
  chunk_size: (of) => of.chunk_size,
  logits: (of) => of.logits,
  max_new_tokens: (of) => of.max_new_tokens,
  tokenization_ms: (of) => of.tokenization_ms,
  ttft_ms: (of) => of.ttft_ms,
  tpot_ms: (of) => (of.itl_ms.length === 0 ? null : roundTo3(mean(of.itl_ms))),
  e2e_ms: (of) => of.e2e_ms,
  stalls: (of) => stallIndices(of.itl_ms).length,
  observer_ms: (of) => of.observer_ms,
  text: (of) => of.text,
};

/** One row for each sample. */
export function samplesCsv(record: TraceRecord): string {
  const rows = record.runs.flatMap(({ name, samples }) =>
    samples.map((sample, index) => [name, index, ...Object.values(SAMPLE_FIELDS).map((field) => field(sample))]),
  );
  return renderCsv(tableOf(['run', 'sample', ...Object.keys(SAMPLE_FIELDS)], rows));
}

function tableOf(headers: readonly string[], rows: readonly (readonly Cell[])[]): Table {
  return {
    columns: headers.map((header) => ({ header, align: 'left' })),
    rows: rows.map((row) => row.map((cell) => (cell === null || cell === undefined ? '' : String(cell)))),
  };
}
