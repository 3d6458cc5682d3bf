import { z } from 'zod';
import type { OpenRecord, OpenRecordText } from './host.ts';
import type { TraceRecord } from './record.ts';

/** A record whose text has been checked, with its values. `text` is its `json`, decoded. */
export function openedText({ valid, problems }: Pick<OpenRecordText, 'valid' | 'problems'>, text: string): OpenRecord {
  const value: unknown = JSON.parse(text);
  // Whoever has checked it is of the same build.
  if (valid) return { valid, record: z.custom<TraceRecord>().parse(value) };
  return { valid, problems, readable: z.custom<Partial<TraceRecord>>().parse(value) };
}
