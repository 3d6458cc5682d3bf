import { readFileSync } from 'node:fs';
import type { Sample, TraceRecord } from '../../shared/record.ts';
import { decodeUtf8 } from '../../main/record-files.ts';
import { type RecordResult, parseRecord } from '../../shared/parse-record.ts';

/** What the tests of records share: the reference lab's record, small ones built by hand, and reading from text. */

export const LIVE_RUN = new URL('../../records/live-run.json', import.meta.url);

export function liveRun(): TraceRecord {
  return JSON.parse(readFileSync(LIVE_RUN, 'utf8')) as TraceRecord;
}

/** Three tokens at 10, 18 and 30 ms. */
export function sample(changes: Partial<Sample> = {}): Sample {
  return { generated_token_ids: [4, 5, 6], generated_tokens: 3, ttft_ms: 10, itl_ms: [8, 12], e2e_ms: 30, ...changes };
}

export function recordOf(samples: Sample[], changes: Partial<TraceRecord> = {}): TraceRecord {
  return {
    model: { id: 'model' },
    generation: { strategy: 'greedy argmax', max_new_tokens: 24, do_sample: false, warmup_tokens: 4 },
    runs: [{ name: 'run', samples }],
    batch_sweep: [],
    prefix_reuse: null,
    ...changes,
  };
}

export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function parseText(text: string): RecordResult {
  return parseRecord(utf8(text), decodeUtf8);
}

/** Of a result that must be a refusal: its problems as lines. */
export function problemsOf(result: RecordResult): string[] {
  if (result.ok) throw new Error('The record was accepted');
  return result.problems.map(({ path, reason, figures }) => [path, reason, figures].filter(Boolean).join(': '));
}
