import type { Comparison, MetricComparison } from './compare.ts';
import type { OutputComparison, OutputToken } from './compare-output.ts';
import type { RecordComparison } from './compare-records.ts';
import { printable, quoted } from './problem.ts';
import { type Table, escapeMarkdown, renderMarkdown, renderText, wrapText } from './text-table.ts';
import { UNKNOWN, count, counted, decimal, msValue, rateValue } from './units.ts';
import { neededWords } from './verdict.ts';

/** What a comparison says, in the order in which it is to be read: may they be compared, same output, the figures. */
export interface ComparisonWords {
  readonly title: string;
  readonly standing: string;
  readonly output: string;
  readonly differences: readonly string[];
  readonly table: Table;
  readonly notes: readonly string[];
}

export function comparisonWords(comparison: Comparison): ComparisonWords {
  const { a, b, standing, question } = comparison;
  return {
    title: a === b ? printable(a) : `${printable(b)} against ${printable(a)}`,
    standing: `${standing.charAt(0).toUpperCase()}${standing.slice(1)}. ${question}`,
    output: outputWords(comparison.output),
    differences: differenceWords(comparison),
    table: metricTable(comparison.metrics),
    notes: notesOf(comparison),
  };
}

/** For a terminal of the given width. */
export function comparisonText(result: RecordComparison, width: number): string {
  const parts = result.comparisons.map((comparison) => {
    const words = comparisonWords(comparison);
    return [
      wrapText(words.title, width),
      wrapText(words.standing, width, '  '),
      wrapText(words.output, width, '  '),
      ...words.differences.map((line) => wrapText(`- ${line}`, width, '  ')),
      '\n',
      renderText(words.table, width),
      '\n',
      ...words.notes.map((line) => wrapText(line, width, '  ')),
    ].join('');
  });
  return [...parts, ...unpaired(result).map((line) => wrapText(line, width))].join('\n');
}

export function comparisonMarkdown(result: RecordComparison): string {
  const list = (lines: readonly string[]) => lines.map((line) => `- ${escapeMarkdown(line)}\n`).join('');
  const parts = result.comparisons.map((comparison) => {
    const words = comparisonWords(comparison);
    const told = [words.output, ...words.differences];
    return [
      `### ${escapeMarkdown(words.title)}\n`,
      `${escapeMarkdown(words.standing)}\n`,
      list(told),
      renderMarkdown(words.table),
      list(words.notes),
    ].join('\n');
  });
  return [...parts, list(unpaired(result))].filter((part) => part !== '').join('\n');
}

function outputWords(output: OutputComparison): string {
  switch (output.same) {
    case null:
      return 'Output: the prompts differ or are not recorded, so the tokens are not compared.';
    case true:
      return `Same greedy output: all ${counted(output.tokens, 'token')} agree.`;
    case 'as far as both go':
      return `Same greedy output as far as both go: ${counted(output.tokens, 'token')}.`;
    case false:
      return `Another greedy output from token ${count(output.index + 1)} on: ${tokenWords(output.a)} against ${tokenWords(output.b)}.`;
  }
}

function tokenWords({ id, text }: OutputToken): string {
  return text === null ? `id ${id}` : `${quoted(text)} (id ${id})`;
}

function differenceWords({ differences, assumed }: Comparison): string[] {
  const lines = differences.map(({ what, a, b, mark }) => `${what}: ${a} / ${b} (${mark})`);
  if (assumed.length > 0) lines.push(`not recorded, taken to be the same: ${assumed.join(', ')}`);
  return lines;
}

function metricTable(metrics: readonly MetricComparison[]): Table {
  const headers = ['', 'A', 'B', 'B - A', 'B / A', '95% interval', 'B is'];
  return {
    columns: headers.map((header, index) => ({ header, align: index === 0 || index === 6 ? 'left' : 'right' })),
    rows: metrics.map((metric) => {
      const write = metric.unit === 'ms' ? msValue : rateValue;
      const { difference, interval } = metric;
      return [
        metric.unit === 'ms' ? `${metric.label} ms` : metric.label,
        write(metric.a),
        write(metric.b),
        signed(difference, write),
        metric.ratio === null ? UNKNOWN : decimal(metric.ratio, metric.ratio < 0.1 ? 3 : 2),
        interval === null ? UNKNOWN : `${signed(interval.low, write)} to ${signed(interval.high, write)}`,
        metric.verdict ?? UNKNOWN,
      ];
    }),
  };
}

function signed(value: number | null, write: (value: number) => string): string {
  if (value === null) return UNKNOWN;
  return value > 0 ? `+${write(value)}` : write(value);
}

/** Samples of one run share its process, its moment and its machine's mood: they cannot tell how much those matter. */
const WITHIN_RUNS =
  'The intervals hold the spread of the samples within a run, not what changes from one run to the next (heat, other programs, a new start): before a small difference is acted on, measure both again, in turn.';

function notesOf({ metrics, method, standing }: Comparison): string[] {
  const [first] = metrics;
  if (first === undefined || method === null) return [];
  const { a, b } = first.samples;
  const size = a === b ? `${counted(a, 'sample')} each` : `${count(a)} and ${counted(b, 'sample')}`;
  const notes: string[] = [];
  const few = metrics.filter(({ verdict }) => verdict === 'too few samples');
  if (few.length > 0) {
    notes.push(
      `${size} ${a === 1 && b === 1 ? 'allows' : 'allow'} no verdict. To tell a difference as large as this one from chance: ${neededList(few)}.`,
    );
  }
  const open = metrics.filter(
    ({ verdict, samples_needed: needed }) => verdict === 'not distinguishable' && needed !== null,
  );
  if (open.length > 0)
    notes.push(`If the differences that could not be told from chance are real, it would take ${neededList(open)}.`);
  if (metrics.some(({ verdict }) => verdict === 'faster' || verdict === 'slower')) notes.push(WITHIN_RUNS);
  if (standing !== 'not comparable') {
    const resampled =
      method.resamples === 0
        ? ''
        : `: ${count(method.resamples)} resamples, seed ${method.seed}, drawing ${method.unit}`;
    notes.push(
      `A and B are medians and percentiles of ${size}; the interval is that of B - A, by ${method.interval}${resampled}.`,
    );
  }
  return notes;
}

function neededList(metrics: readonly MetricComparison[]): string {
  return metrics.map(({ label, samples_needed: needed }) => `${label} ${neededWords(needed)}`).join(', ');
}

function unpaired({ only_in_a: a, only_in_b: b }: RecordComparison): string[] {
  const line = (side: string, names: readonly string[]) => `Only in ${side}: ${names.map(printable).join(', ')}.`;
  return [...(a.length > 0 ? [line('A', a)] : []), ...(b.length > 0 ? [line('B', b)] : [])];
}
