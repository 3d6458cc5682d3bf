import { samplesCsv, tokensCsv } from '../../shared/export/csv.ts';
import { traceEvents } from '../../shared/export/trace-events.ts';
import type { FileFormat } from '../../shared/export-formats.ts';
import { recordText } from '../../shared/json-output.ts';
import { summaryMarkdown } from '../../shared/summary-text.ts';
import { count } from '../../shared/units.ts';
import type { OpenedRecord } from '../state/state.ts';

const MOST_TOKENS = 20_000;
const SHOWN_LINES = 60;
const SHOWN_CHARACTERS = 8000;

/** The beginning of what a file will hold; a record of many tokens is only written when it is exported. */
export function textPreview({ record, summary }: OpenedRecord, format: FileFormat): string {
  const tokens = record.runs.reduce(
    (sum, run) => sum + run.samples.reduce((all, sample) => all + sample.generated_tokens, 0),
    0,
  );
  if (tokens > MOST_TOKENS) return `${count(tokens)} tokens: too many to show here. The file will hold all of them.`;
  const text = written({ record, summary }, format);
  const lines = text.split('\n');
  const shown = lines.slice(0, SHOWN_LINES).join('\n').slice(0, SHOWN_CHARACTERS);
  return shown.length < text.trimEnd().length ? `${shown}\n…` : shown;
}

function written({ record, summary }: Pick<OpenedRecord, 'record' | 'summary'>, format: FileFormat): string {
  switch (format) {
    case 'csv':
      return tokensCsv(record);
    case 'csv-samples':
      return samplesCsv(record);
    case 'markdown':
      return summaryMarkdown(record, summary);
    case 'perfetto':
      return JSON.stringify(traceEvents(record), null, 1);
    case 'record':
      return recordText(record);
    case 'png':
    case 'svg':
    case 'html':
      return '';
  }
}
