import { samplesCsv, tokensCsv } from '../shared/export/csv.ts';
import { traceEvents } from '../shared/export/trace-events.ts';
import type { TraceRecord } from '../shared/record.ts';
import { summaryMarkdown } from '../shared/summary-text.ts';
import type { RecordSummary } from '../shared/summary.ts';

export const TEXT_FORMATS = ['csv', 'csv-samples', 'markdown', 'perfetto'] as const;
export type TextFormat = (typeof TEXT_FORMATS)[number];

/** `csv` has a row for each token, `csv-samples` one for each sample. */
export function exportText(
  { record, summary }: { readonly record: TraceRecord; readonly summary: RecordSummary },
  format: TextFormat,
): string {
  switch (format) {
    case 'csv':
      return tokensCsv(record);
    case 'csv-samples':
      return samplesCsv(record);
    case 'markdown':
      return summaryMarkdown(record, summary);
    case 'perfetto':
      return `${JSON.stringify(traceEvents(record))}\n`;
  }
}
