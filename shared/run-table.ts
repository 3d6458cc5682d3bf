import type { RunSummary } from './summary.ts';
import type { Column, Table } from './text-table.ts';
import { count, msValue, percent, rateValue } from './units.ts';

/** One column of the table of runs: how a person reads it, and what a program reads. */
interface Field {
  readonly header: string;
  readonly align?: 'left';
  /** For people: rounded. */
  readonly shown: (run: RunSummary) => string;
}

const run: Field = { header: 'Run', align: 'left', shown: ({ name }) => name };
const n: Field = { header: 'n', shown: (of) => count(of.n) };
const prompt: Field = { header: 'prompt', shown: (of) => count(of.prompt_tokens) };
const ttft: Field = { header: 'TTFT ms', shown: (of) => msValue(of.ttft_ms.median) };
const ttftEnds: Field = { header: 'min–max', shown: ({ ttft_ms: { min, max } }) => `${msValue(min)}–${msValue(max)}` };
const tpot: Field = { header: 'TPOT ms', shown: (of) => msValue(of.tpot_ms?.median) };
const e2e: Field = { header: 'e2e ms', shown: (of) => msValue(of.e2e_ms.median) };
const p50: Field = { header: 'ITL p50', shown: (of) => msValue(of.itl_ms?.p50) };
const p90: Field = { header: 'p90', shown: (of) => msValue(of.itl_ms?.p90) };
const p95: Field = { header: 'p95', shown: (of) => msValue(of.itl_ms?.p95) };
const p99: Field = { header: 'p99', shown: (of) => msValue(of.itl_ms?.p99) };
const decode: Field = { header: 'tokens/s', shown: (of) => rateValue(of.decode_tokens_per_s) };
const shortDecode: Field = { ...decode, header: 'tok/s' };
const prefill: Field = { header: 'prefill/s', shown: (of) => rateValue(of.prefill_tokens_per_s) };
const decodeShare: Field = { header: 'decode', shown: (of) => percent(of.shares.decode) };
const stop: Field = { header: 'stop', align: 'left', shown: stopText };
const stalls: Field = { header: 'stalls', shown: (of) => count(of.stalls.count) };

/** From this many columns of a terminal on the wide table fits beside names of twenty characters. */
const WIDE_TERMINAL = 112;

const NARROW: readonly Field[] = [run, n, ttft, tpot, p50, p95, p99, shortDecode, stalls];
const WIDE: readonly Field[] = [run, n, prompt, ttft, ttftEnds, tpot, p50, p90, p95, p99, decode, stop, stalls];
const FULL: readonly Field[] = [
  run,
  n,
  prompt,
  ttft,
  ttftEnds,
  tpot,
  e2e,
  p50,
  p90,
  p95,
  p99,
  decode,
  prefill,
  decodeShare,
  stop,
  stalls,
];

export function runTable(runs: readonly RunSummary[], width: number): Table {
  return tableOf(width >= WIDE_TERMINAL ? WIDE : NARROW, runs);
}

/** Every column, for a document: its width is the reader's. */
export function fullRunTable(runs: readonly RunSummary[]): Table {
  return tableOf(FULL, runs);
}

function tableOf(fields: readonly Field[], runs: readonly RunSummary[]): Table {
  return {
    columns: fields.map(({ header, align }): Column => ({ header, align: align ?? 'right' })),
    rows: runs.map((each) => fields.map(({ shown }) => shown(each))),
  };
}

function stopText(of: RunSummary): string {
  const reasons = Object.entries(of.stop_reasons);
  return reasons
    .map(([reason, times]) => {
      const words = reason === 'not_recorded' ? 'not recorded' : reason;
      return reasons.length === 1 ? words : `${words} ${times}`;
    })
    .join(', ');
}

/** What each column of the CSV holds; times in milliseconds, shares from 0 to 1, nothing where a figure is not known. */
const CSV_FIELDS: { readonly [header: string]: (run: RunSummary) => string | number | null | undefined } = {
  run: (of) => of.name,
  samples: (of) => of.n,
  prompt_tokens: (of) => of.prompt_tokens,
  output_tokens_min: (of) => of.output_tokens.min,
  output_tokens_max: (of) => of.output_tokens.max,
  ttft_ms_median: (of) => of.ttft_ms.median,
  ttft_ms_min: (of) => of.ttft_ms.min,
  ttft_ms_max: (of) => of.ttft_ms.max,
  tpot_ms_median: (of) => of.tpot_ms?.median,
  tpot_ms_min: (of) => of.tpot_ms?.min,
  tpot_ms_max: (of) => of.tpot_ms?.max,
  e2e_ms_median: (of) => of.e2e_ms.median,
  e2e_ms_min: (of) => of.e2e_ms.min,
  e2e_ms_max: (of) => of.e2e_ms.max,
  itl_intervals: (of) => of.itl_ms?.n ?? 0,
  itl_ms_p50: (of) => of.itl_ms?.p50,
  itl_ms_p90: (of) => of.itl_ms?.p90,
  itl_ms_p95: (of) => of.itl_ms?.p95,
  itl_ms_p99: (of) => of.itl_ms?.p99,
  decode_tokens_per_s: (of) => of.decode_tokens_per_s,
  prefill_tokens_per_s: (of) => of.prefill_tokens_per_s,
  share_tokenization: (of) => of.shares.tokenization,
  share_prefill: (of) => of.shares.prefill,
  share_decode: (of) => of.shares.decode,
  stop_length: (of) => of.stop_reasons.length ?? 0,
  stop_eos: (of) => of.stop_reasons.eos ?? 0,
  stop_cancelled: (of) => of.stop_reasons.cancelled ?? 0,
  stop_failed: (of) => of.stop_reasons.failed ?? 0,
  stop_not_recorded: (of) => of.stop_reasons.not_recorded ?? 0,
  stalls: (of) => of.stalls.count,
  stall_ms: (of) => of.stalls.ms,
};

/** For programs: one row for each run, full figures, a first column for the file when there are several. */
export function csvTable(
  sources: readonly { readonly file: string | null; readonly runs: readonly RunSummary[] }[],
): Table {
  const withFile = sources.some(({ file }) => file !== null);
  const headers = [...(withFile ? ['file'] : []), ...Object.keys(CSV_FIELDS)];
  return {
    columns: headers.map((header) => ({ header, align: 'left' })),
    rows: sources.flatMap(({ file, runs }) =>
      runs.map((of) => [
        ...(withFile ? [file ?? ''] : []),
        ...Object.values(CSV_FIELDS).map((field) => String(field(of) ?? '')),
      ]),
    ),
  };
}
