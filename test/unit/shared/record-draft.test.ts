import { describe, expect, test } from 'vitest';
import type { RecordHeader, RunEvent } from '../../../shared/messages.ts';
import { planSchema } from '../../../shared/plan.ts';
import { parseRecordValue } from '../../../shared/parse-record.ts';
import { applyEvent, draftToRecord, startDraft } from '../../../shared/record-draft.ts';
import type { Sample } from '../../../shared/record.ts';
import { recordRefusals } from '../../../shared/refusals.ts';
import { acceptedByReference } from '../../support/reference-rules.ts';

const HEADER: RecordHeader = {
  environment: { device: 'cpu', threads: 1 },
  model: { id: 'tiny' },
  load: { model_ms: 10, tokenizer_ms: 5, reused: false },
  source_sha256: 'ab',
};
const PLAN = planSchema.parse({
  runs: [
    { name: 'one', prompt: 'x', repeats: 2, max_new_tokens: 7 },
    { name: 'two', prompt: 'y', repeats: 1 },
  ],
});
const SAMPLE: Sample = {
  prompt: 'x',
  prompt_tokens: 3,
  generated_token_ids: [1, 2],
  generated_tokens: 2,
  ttft_ms: 4,
  itl_ms: [2],
  e2e_ms: 6,
};
const step = (run: number, sample: number): RunEvent => ({
  type: 'step',
  step: { kind: 'run', run, name: PLAN.runs[run]!.name, sample, of: PLAN.runs[run]!.repeats },
  index: 0,
  count: 1,
});

function draftOf(...events: RunEvent[]) {
  const draft = startDraft(PLAN, HEADER, '2026-01-02T03:04:05.000Z');
  for (const event of events) applyEvent(draft, event);
  return draft;
}

const CUT_OFF: RunEvent[] = [
  step(0, 0),
  { type: 'sample', sample: SAMPLE },
  step(0, 1),
  { type: 'prompt', prompt_tokens: 3, tokenization_ms: 0.25 },
  { type: 'tokens', first: 0, ids: [5, 6], at_ms: [4.12345, 6.6], texts: ['a', 'b'] },
  { type: 'tokens', first: 2, ids: [7], at_ms: [9.87654], texts: ['c'] },
];

describe('a record put together from events', () => {
  test('holds every sample under its run, with medians', () => {
    const record = draftToRecord(
      draftOf(
        { type: 'step', step: { kind: 'warmup' }, index: 0, count: 4 },
        { type: 'sample', sample: { ...SAMPLE, ttft_ms: 5, e2e_ms: 7 } },
        step(0, 0),
        { type: 'sample', sample: SAMPLE },
        step(0, 1),
        { type: 'sample', sample: { ...SAMPLE, ttft_ms: 8, e2e_ms: 10 } },
        step(1, 0),
        { type: 'sample', sample: { ...SAMPLE, generated_token_ids: [1], generated_tokens: 1, itl_ms: [], e2e_ms: 4 } },
        { type: 'finished', status: 'complete' },
      ),
      { status: 'complete' },
    );
    expect(record.warmup).toMatchObject({ ttft_ms: 5 });
    expect(record.runs).toMatchObject([
      { name: 'one', median_ttft_ms: 6, median_tpot_ms: 2 },
      { name: 'two', median_ttft_ms: 4, median_tpot_ms: null },
    ]);
    expect(record.generation.max_new_tokens).toBe(24);
    expect(record).not.toHaveProperty('status_reason');
    expect(parseRecordValue(JSON.parse(JSON.stringify(record)))).toMatchObject({ ok: true });
    expect(acceptedByReference(record)).toBe(true);
  });

  test('keeps a request that was cut off after its first token, as a sample that says so', () => {
    const record = draftToRecord(draftOf(...CUT_OFF), { status: 'failed', reason: 'the process ended' });
    expect(record).toMatchObject({ status: 'failed', status_reason: 'the process ended' });
    expect(record.runs).toHaveLength(1);
    expect(record.runs[0]!.samples[1]).toMatchObject({
      generated_token_ids: [5, 6, 7],
      generated_tokens: 3,
      token_texts: ['a', 'b', 'c'],
      text: 'abc',
      stop_reason: 'failed',
      tokenization_ms: 0.25,
      ttft_ms: 4.123,
      itl_ms: [2.477, 3.277],
      e2e_ms: 9.877,
      max_new_tokens: 7,
    });
    expect(recordRefusals(record)).toEqual([]);
    expect(acceptedByReference(record)).toBe(true);
  });

  test('leaves out runs without a sample and a request without a token', () => {
    const record = draftToRecord(draftOf(...CUT_OFF.slice(0, 4)), { status: 'partial', reason: 'x' });
    expect(record.runs.map((run) => [run.name, run.samples.length])).toEqual([['one', 1]]);
    const empty = draftToRecord(draftOf(), { status: 'cancelled', reason: 'x' });
    expect(empty.runs).toEqual([]);
    expect(acceptedByReference(empty)).toBe(true);
  });

  test('does not change when it is asked twice', () => {
    const draft = draftOf(...CUT_OFF);
    const first = draftToRecord(draft, { status: 'partial', reason: 'x' });
    expect(draftToRecord(draft, { status: 'partial', reason: 'x' })).toEqual(first);
  });

  test('names what was skipped', () => {
    const draft = draftOf(
      { type: 'step', step: { kind: 'batch', batch_size: 2 }, index: 0, count: 1 },
      { type: 'skipped', reason: 'no padding' },
    );
    expect(draftToRecord(draft, { status: 'complete' }).skipped).toEqual([
      { step: 'batch of 2', reason: 'no padding' },
    ]);
  });
});
