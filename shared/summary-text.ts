import { printable } from './problem.ts';
import type { ModelInfo, TraceRecord } from './record.ts';
import { fullRunTable, runTable } from './run-table.ts';
import type { RecordSummary } from './summary.ts';
import { type Table, escapeMarkdown, renderMarkdown, renderText, wrapText } from './text-table.ts';
import { UNKNOWN, bytes, count, counted, ms, msValue, rateValue, shortCount } from './units.ts';

/** Notes beyond these are only counted: the terminal is for reading. */
const SHOWN_NOTES = 12;

/** The whole of a record for a terminal of the given width: what ran, the table, a sentence for each run, the notes. */
export function summaryText(record: TraceRecord, summary: RecordSummary, width: number): string {
  const parts = [
    wrapText(subject(record), width),
    summary.runs.length === 0 ? 'No run was measured.\n' : renderText(runTable(summary.runs, width), width),
    summary.runs.map(({ explanation }) => paragraph(explanation.headline, explanation.details, width)).join(''),
    section('Batch sweep (its own loop: not comparable with the runs above)', batchTable(record), width),
    other(record, summary)
      .map((line) => wrapText(line, width))
      .join(''),
    notes(summary, width),
    wrapText(method(summary), width),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

/** The same as Markdown, with every column. */
export function summaryMarkdown(record: TraceRecord, summary: RecordSummary): string {
  const batches = batchTable(record);
  const parts = [
    `${escapeMarkdown(subject(record))}\n`,
    summary.runs.length === 0 ? 'No run was measured.\n' : renderMarkdown(fullRunTable(summary.runs)),
    list(summary.runs.map(({ explanation: { headline, details } }) => [headline, ...details].join(' '))),
    batches === null
      ? ''
      : `Batch sweep (its own loop: not comparable with the runs above):\n\n${renderMarkdown(batches)}`,
    list(other(record, summary)),
    list(summary.notes.map(({ text }) => `Note: ${text}`)),
    `${escapeMarkdown(method(summary))}\n`,
  ];
  return parts.filter((part) => part !== '').join('\n');
}

/** What ran where, in one line. */
export function subject(record: TraceRecord): string {
  const { model, environment } = record;
  const threads = environment?.threads;
  const facts = [
    model.id,
    model.dtype,
    model.parameters === undefined ? undefined : `${shortCount(model.parameters)} parameters`,
    model.weight_bytes === undefined ? undefined : bytes(model.weight_bytes),
    kvCache(model),
    environment?.device,
    threads === undefined ? undefined : counted(threads, 'thread'),
    `${record.generation.strategy}, cap ${count(record.generation.max_new_tokens)}`,
  ];
  return printable(facts.filter((fact) => fact !== undefined).join(' · '));
}

function kvCache(model: ModelInfo): string | undefined {
  return model.kv_bytes_per_token === undefined ? undefined : `KV ${bytes(model.kv_bytes_per_token)}/token`;
}

/** The sentence at the margin, what it leaves out below it. */
function paragraph(headline: string, details: readonly string[], width: number): string {
  return wrapText(headline, width) + (details.length === 0 ? '' : wrapText(details.join(' '), width, '  '));
}

function section(title: string, table: Table | null, width: number): string {
  return table === null ? '' : wrapText(title, width) + renderText(table, width);
}

function batchTable(record: TraceRecord): Table | null {
  if (record.batch_sweep.length === 0) return null;
  const headers = ['rows', 'elapsed ms', 'tokens', 'tokens/s'];
  return {
    columns: headers.map((header) => ({ header, align: 'right' })),
    rows: record.batch_sweep.map((batch) => [
      count(batch.batch_size),
      msValue(batch.elapsed_ms),
      count(batch.output_tokens),
      rateValue(batch.output_tokens_per_s),
    ]),
  };
}

function other(record: TraceRecord, summary: RecordSummary): string[] {
  return [coldSentence(summary), prefixSentence(record)].filter((line) => line !== null);
}

export function coldSentence({ cold }: RecordSummary): string | null {
  if (cold === null) return null;
  const pace = cold.tpot_ms === null ? '' : `, ${ms(cold.tpot_ms)} for each of the next`;
  return `First request after loading, in none of the runs: ${ms(cold.ttft_ms)} to its first token${pace}.`;
}

export function prefixSentence({ prefix_reuse: prefix }: TraceRecord): string | null {
  if (prefix === null) return null;
  const same = prefix.same_greedy_next_token ? 'the same next token' : 'another next token: do not trust the reuse';
  const reused = `${count(prefix.cached_prefix_tokens)} of ${count(prefix.total_tokens)} tokens reused`;
  return `Prefix reuse: ${ms(prefix.cold_prefill_ms)} for the whole prompt, ${ms(prefix.suffix_prefill_ms)} with ${reused}; ${same}.`;
}

function notes(summary: RecordSummary, width: number): string {
  const shown = summary.notes.slice(0, SHOWN_NOTES).map(({ path, text }) => (path === '' ? text : `${text} [${path}]`));
  const rest = summary.notes.length - shown.length;
  if (rest > 0) shown.push(`and ${counted(rest, 'note')} more.`);
  return shown.map((text) => wrapText(`Note: ${text}`, width)).join('');
}

/** How the figures were computed. */
export function method(summary: RecordSummary): string {
  const unmeasured = summary.runs.some(({ shares }) => shares.tokenization === null)
    ? ` ${UNKNOWN} marks what was not measured.`
    : '';
  return `Medians over samples; ITL percentiles over all intervals of a run by ${summary.percentile_method}. A stall is ${summary.stall_rule}.${unmeasured}`;
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${escapeMarkdown(line)}\n`).join('');
}
