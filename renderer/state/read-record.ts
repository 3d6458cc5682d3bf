import type { OpenRecord, Outcome } from '../../shared/host.ts';
import { summarizeRecord } from '../../shared/summarize.ts';
import { traceOfRecord } from '../trace/record-trace.ts';
import type { RecordState } from './state.ts';

/** What the application says of a record, made ready to be shown. */
export function recordState(answer: Outcome<OpenRecord>): RecordState {
  if (!answer.ok) return { status: 'error', error: answer.error };
  const opened = answer.value;
  if (!opened.valid) return { status: 'refused', problems: opened.problems, readable: opened.readable };
  const { record } = opened;
  const result = summarizeRecord(record);
  if (!result.ok) return { status: 'refused', problems: result.problems, readable: record };
  const { summary } = result;
  return { status: 'ready', record, summary, trace: traceOfRecord(record, summary.runs) };
}
