import type { ExportRequest } from '../shared/export-formats.ts';
import { recordError } from '../shared/problem.ts';
import type { TraceRecord } from '../shared/record.ts';
import { summarizeRecord } from '../shared/summarize.ts';
import { exportText } from './export-text.ts';
import { reportFile } from './report.ts';
import { openableText } from './saved-record.ts';

/**
 * A record as the content of a file: the same bytes that the command line writes for the same record, scale and theme.
 * Throws a TokenscopeError for a picture that is too large.
 */
export async function exportFileContent(
  record: TraceRecord,
  { format, scale, theme }: Omit<ExportRequest, 'id'>,
): Promise<Uint8Array> {
  if (format === 'record') return bytesOf(openableText(record));
  const result = summarizeRecord(record);
  if (!result.ok) throw recordError('record', result.problems);
  const { summary } = result;
  switch (format) {
    case 'png':
    case 'svg':
    case 'html':
      return bytesOf(await reportFile({ record, summary, theme }, format, scale));
    case 'csv':
    case 'csv-samples':
    case 'markdown':
    case 'perfetto':
      return bytesOf(exportText({ record, summary }, format));
  }
}

function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content;
}
