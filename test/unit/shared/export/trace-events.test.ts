import { describe, expect, test } from 'vitest';
import { type TraceEvents, traceEvents } from '../../../../shared/export/trace-events.ts';
import type { Sample, TraceRecord } from '../../../../shared/record.ts';
import { EXTREME, LONG, SHORT, madeUpRecord, madeUpSample } from '../../../support/report-records.ts';
import { liveRun } from '../../../support/records.ts';

/** As a program reads it. */
function parsed(record: TraceRecord): TraceEvents {
  return JSON.parse(JSON.stringify(traceEvents(record))) as TraceEvents;
}

function track(events: TraceEvents, pid: number, tid: number) {
  const slices = events.traceEvents.flatMap((event) =>
    event.ph === 'X' && event.pid === pid && event.tid === tid ? [event] : [],
  );
  const [request, ...parts] = slices;
  return { request: request!, parts };
}

describe.each<[string, TraceRecord]>([
  ['the reference record', liveRun()],
  ['one token', SHORT],
  ['long', LONG],
  ['extreme', EXTREME],
])('%s', (_, record) => {
  const events = parsed(record);
  const first = record.warmup === null || record.warmup === undefined ? 1 : 2;

  test('the slices of each sample tile its request, and their sum is its time', () => {
    record.runs.forEach((run, index) =>
      run.samples.forEach((sample, place) => {
        const { request, parts } = track(events, index + first, place + 1);
        expect(request).toMatchObject({ name: 'request', ts: 0 });
        let at = 0;
        for (const part of parts) {
          expect(part.ts).toBe(at);
          expect(part.dur).toBeGreaterThanOrEqual(0);
          at += part.dur;
        }
        expect(at).toBe(request.dur);
        expect(Math.abs(at / 1000 - sample.e2e_ms)).toBeLessThanOrEqual(0.001);
        const tokens = parts.filter(({ cat }) => cat !== 'wait');
        expect(tokens).toHaveLength(Math.max(0, sample.generated_tokens - 1));
        tokens.forEach((token, at) => expect(token.args['itl_ms']).toBe(sample.itl_ms[at]));
      }),
    );
  });

  test('each event has what its kind needs, and a track has a name', () => {
    for (const event of events.traceEvents) {
      expect(Number.isSafeInteger(event.pid) && Number.isSafeInteger(event.tid)).toBe(true);
      if (event.ph === 'M') expect(event.args.name).toBeTypeOf('string');
      else expect(event.ts).toBeGreaterThanOrEqual(0);
    }
    const processes = events.traceEvents.flatMap((event) =>
      event.ph === 'M' && event.name === 'process_name' ? [event.args.name] : [],
    );
    expect(processes.slice(first - 1)).toEqual(record.runs.map(({ name }) => name));
  });
});

function waitOf(more: Partial<Sample>): [string, number, number][] {
  const record = madeUpRecord([
    { name: 'r', samples: [{ ...madeUpSample({ tokens: 2 }), ttft_ms: 10, itl_ms: [5], e2e_ms: 15, ...more }] },
  ]);
  return track(parsed(record), 1, 1).parts.flatMap(({ cat, name, ts, dur }) =>
    cat === 'wait' ? [[name, ts, dur]] : [],
  );
}

test('the wait is cut where it was measured, and only there', () => {
  expect(waitOf({ tokenization_ms: 1, prefill_ms: [4, 3.5] })).toEqual([
    ['tokenization', 0, 1000],
    ['prefill chunk 1 of 2', 1000, 4000],
    ['prefill chunk 2 of 2', 5000, 3500],
    ['outside the model', 8500, 1500],
  ]);
  expect(waitOf({ tokenization_ms: 1, chunk_size: 64 })).toEqual([
    ['tokenization', 0, 1000],
    ['prefill', 1000, 9000],
  ]);
  expect(waitOf({ tokenization_ms: 1, prefill_ms: [4, 30] })).toEqual([
    ['tokenization', 0, 1000],
    ['prefill', 1000, 9000],
  ]);
  const { tokenization_ms: _, ...without } = madeUpSample({ tokens: 2 });
  const record = madeUpRecord([{ name: 'r', samples: [{ ...without, ttft_ms: 10, itl_ms: [5], e2e_ms: 15 }] }]);
  expect(track(parsed(record), 1, 1).parts[0]).toMatchObject({ name: 'wait', ts: 0, dur: 10_000 });
});

test('stalls, texts, first tokens and counters', () => {
  const sample = {
    ...madeUpSample({ tokens: 4 }),
    ttft_ms: 10,
    itl_ms: [5, 50, 5],
    e2e_ms: 70,
    token_texts: ['A', ' b', ' c', '.'],
  };
  const events = parsed(madeUpRecord([{ name: 'r', samples: [sample] }])).traceEvents;
  expect(events).toContainEqual({
    ph: 'i',
    pid: 1,
    tid: 1,
    s: 't',
    name: 'first token: A',
    cat: 'wait',
    ts: 10_000,
    args: { id: 100 },
  });
  expect(events).toContainEqual({
    ph: 'X',
    pid: 1,
    tid: 1,
    name: ' c',
    cat: 'stall',
    ts: 15_000,
    dur: 50_000,
    args: { token: 2, id: 102, itl_ms: 50, stall: true },
  });
  expect(events).toContainEqual({
    ph: 'C',
    pid: 1,
    tid: 1,
    name: 'interval of sample 1',
    ts: 65_000,
    args: { ms: 50 },
  });
});

test('a warm-up that cannot be true is left out', () => {
  const record = madeUpRecord([], { warmup: madeUpSample({ tokens: 3, more: { itl_ms: [1] } }) });
  expect(parsed(record).traceEvents).toEqual([]);
});
