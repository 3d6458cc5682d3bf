import { useEffect, useState } from 'react';
import { canonicalJson } from '../../shared/canonical-json.ts';
import { messageOf } from '../../shared/errors.ts';
import type { TraceRecord } from '../../shared/record.ts';
import { busy } from '../idle.ts';

const known = new WeakMap<TraceRecord, Promise<string>>();

/** SHA-256 of the record, as the report names it; the same as main/report.ts takes it. */
export function recordId(record: TraceRecord): Promise<string> {
  const made = known.get(record) ?? hash(canonicalJson(record));
  known.set(record, made);
  return made;
}

async function hash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export type RecordId = { status: 'loading' } | { status: 'error'; message: string } | { status: 'ready'; id: string };

export function useRecordId(record: TraceRecord): RecordId {
  const [made, setMade] = useState<{ record: TraceRecord; state: RecordId } | null>(null);
  useEffect(() => {
    let current = true;
    const done = busy();
    // Later than this frame: for a large record it takes a second, and the page is to be there first.
    const timer = setTimeout(async () => {
      const state = await recordId(record).then(
        (id): RecordId => ({ status: 'ready', id }),
        (error: unknown): RecordId => ({ status: 'error', message: messageOf(error) }),
      );
      if (current) setMade({ record, state });
      done();
    }, 0);
    return () => {
      current = false;
      clearTimeout(timer);
      done();
    };
  }, [record]);
  return made?.record === record ? made.state : { status: 'loading' };
}
