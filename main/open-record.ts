import type { OpenRecord } from '../shared/host.ts';
import type { RecordResult } from '../shared/parse-record.ts';
import type { ReadableParts } from '../shared/readable-parts.ts';
import type { TraceRecord } from '../shared/record.ts';
import { recordRefusals } from '../shared/refusals.ts';

/** What a window shows of a record that was read: all of it, or why it was refused and the parts that can be read. */
export function openRecordOf(result: RecordResult): OpenRecord {
  if (result.ok) return checkedRecord(result.record);
  return {
    valid: false,
    problems: [...result.problems],
    readable: result.parts === null ? {} : partialRecord(result.parts),
  };
}

/** A record whose fields have the right types; whether its figures can be true is asked here. */
export function checkedRecord(record: TraceRecord): OpenRecord {
  const problems = recordRefusals(record);
  return problems.length === 0 ? { valid: true, record } : { valid: false, problems: [...problems], readable: record };
}

function partialRecord(parts: ReadableParts): Partial<TraceRecord> {
  return {
    ...(parts.model === null ? {} : { model: parts.model }),
    ...(parts.generation === null ? {} : { generation: parts.generation }),
    ...(parts.environment === null ? {} : { environment: parts.environment }),
    ...(parts.warmup === null ? {} : { warmup: parts.warmup }),
    ...(parts.runs.length === 0 ? {} : { runs: parts.runs.map(({ run }) => run) }),
    ...(parts.batches.length === 0 ? {} : { batch_sweep: parts.batches.map(({ batch }) => batch) }),
    ...(parts.prefixReuse === null ? {} : { prefix_reuse: parts.prefixReuse }),
  };
}
