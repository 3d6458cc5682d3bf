import { samplesCsv, tokensCsv } from '../../shared/export/csv.ts';
import { traceEvents } from '../../shared/export/trace-events.ts';
import { summaryMarkdown } from '../../shared/summary-text.ts';
import { writeFileAtomic } from '../record-files.ts';
import { EXIT, type Io } from './io.ts';
import { type LoadedRecord, loadRecord } from './load-record.ts';

export const EXPORT_FORMATS = ['csv', 'csv-samples', 'markdown', 'perfetto'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportOptions {
  to: ExportFormat;
  /** Standard output when undefined or `-`. */
  output?: string;
  force: boolean;
}

/** Writes a record in a format of other programs. Returns the exit code. */
export async function exportRecord(file: string, options: ExportOptions, io: Io): Promise<number> {
  const text = exportText(await loadRecord(file), options.to);
  if (options.output === undefined || options.output === '-') {
    io.stdout(text);
    return EXIT.fine;
  }
  await writeFileAtomic(options.output, text, { force: options.force });
  io.stderr(`saved ${options.output}\n`);
  return EXIT.fine;
}

/** `csv` has a row for each token, `csv-samples` one for each sample. */
export function exportText({ record, summary }: LoadedRecord, format: ExportFormat): string {
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
