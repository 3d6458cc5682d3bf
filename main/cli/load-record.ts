import { TokenscopeError } from '../../shared/errors.ts';
import { recordError } from '../../shared/problem.ts';
import type { TraceRecord } from '../../shared/record.ts';
import { summarizeRecord } from '../../shared/summarize.ts';
import type { RecordSummary } from '../../shared/summary.ts';
import { readRecordFile } from '../record-files.ts';

export interface LoadedRecord {
  readonly record: TraceRecord;
  readonly summary: RecordSummary;
}

/** A record whose figures can be true. Throws a TokenscopeError whose path begins with the file. */
export async function loadRecord(file: string): Promise<LoadedRecord> {
  const parsed = await readRecordFile(file);
  if (!parsed.ok) throw inFile(file, recordError(parsed.code, parsed.problems));
  const result = summarizeRecord(parsed.record);
  if (!result.ok) throw inFile(file, recordError('record', result.problems));
  return { record: parsed.record, summary: result.summary };
}

function inFile(file: string, error: TokenscopeError): TokenscopeError {
  const { code, message, path, remedy } = error;
  return new TokenscopeError(code, message, {
    path: path === undefined ? file : `${file}: ${path}`,
    cause: error,
    ...(remedy === undefined ? {} : { remedy }),
  });
}
