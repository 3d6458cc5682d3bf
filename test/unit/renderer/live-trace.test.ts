import { describe, expect, test } from 'vitest';
import { LiveTrace } from '../../../renderer/trace/live-trace.ts';
import { PACE } from '../../../shared/pace.ts';
import { traceOfRecord } from '../../../renderer/trace/record-trace.ts';
import { type Plan, planSchema } from '../../../shared/plan.ts';
import { draftToRecord, type RecordDraft, startDraft } from '../../../shared/record-draft.ts';
import { summarizeRecord } from '../../../shared/summarize.ts';
import { sampleOf } from './lanes.ts';

const plan: Plan = planSchema.parse({
  runs: [
    { name: 'a', prompt: 'x', repeats: 2 },
    { name: 'b', prompt: 'x', repeats: 1 },
  ],
});

function draft(): RecordDraft {
  const header = {
    environment: {},
    model: { id: 'm' },
    load: { model_ms: 1, tokenizer_ms: 1, reused: false },
    source_sha256: '',
  };
  return startDraft(plan, header, '2026-01-01T00:00:00.000Z');
}

const step = (run: number, sample: number, index: number) =>
  ({
    type: 'step',
    step: { kind: 'run', run, name: plan.runs[run]!.name, sample, of: plan.runs[run]!.repeats },
    index,
    count: 4,
  }) as const;

describe('a run in progress', () => {
  test('grows token by token and ends as the record does', () => {
    const live = new LiveTrace(draft());
    const samples = [sampleOf(40, [20, 20, 20, 90, 20]), sampleOf(41, [21, 21])];
    samples.forEach((sample, place) => {
      live.apply(step(0, place, place + 1));
      live.apply({ type: 'prompt', prompt_tokens: 7, tokenization_ms: 0.5 });
      let at = sample.ttft_ms;
      sample.generated_token_ids.forEach((id, token) => {
        if (token > 0) at += sample.itl_ms[token - 1]!;
        live.apply({ type: 'tokens', first: token, ids: [id], at_ms: [at], texts: [` ${token}`] });
        expect(live.current!.count).toBe(token + 1);
        expect(live.groups[1]!.lanes).toHaveLength(place + 1);
      });
      live.apply({ type: 'sample', sample });
    });
    live.apply({ type: 'finished', status: 'complete' });
    const record = draftToRecord(live.draft, { status: 'complete' });
    const result = summarizeRecord(record);
    if (!result.ok) throw new Error('refused');
    const kept = traceOfRecord(record, result.summary.runs);
    const shown = live.groups.find(({ name }) => name === 'a')!;
    expect(shown.lanes.map((lane) => [...lane.at])).toEqual(kept.groups[0]!.lanes.map((lane) => [...lane.at]));
    expect(live.tokens).toBe(9);
  });

  test('marks a stall as soon as the median shows it', () => {
    const live = new LiveTrace(draft());
    live.apply(step(0, 0, 1));
    live.apply({ type: 'prompt', prompt_tokens: 7, tokenization_ms: 0.5 });
    const at = [40, 60, 80, 100, 300];
    live.apply({ type: 'tokens', first: 0, ids: [1, 2, 3, 4, 5], at_ms: at, texts: null });
    expect(live.current!.pace[4]).toBe(PACE.stall);
    expect(live.current!.stalls).toBe(1);
    expect(live.current!.texts).toBeNull();
  });

  test('keeps every one of thirty thousand tokens', () => {
    const live = new LiveTrace(draft());
    live.apply(step(0, 0, 1));
    live.apply({ type: 'prompt', prompt_tokens: 7, tokenization_ms: 0.5 });
    for (let first = 0; first < 30_000; first += 16) {
      const ids = Array.from({ length: 16 }, (_, index) => first + index);
      live.apply({ type: 'tokens', first, ids, at_ms: ids.map((id) => id + 1), texts: ids.map(String) });
    }
    const lane = live.current!;
    expect(lane.count).toBe(30_000);
    expect([...lane.at.subarray(0, 30_000)]).toEqual(Array.from({ length: 30_000 }, (_, index) => index + 1));
    expect(lane.pace.subarray(1, 30_000).every((pace) => pace === PACE.usual)).toBe(true);
    expect(lane.texts).toHaveLength(30_000);
  });

  test('a window that comes late sees what was measured before', () => {
    const live = new LiveTrace(draft());
    live.apply({ type: 'step', step: { kind: 'warmup' }, index: 0, count: 4 });
    live.apply({ type: 'prompt', prompt_tokens: 7, tokenization_ms: 0.5 });
    live.apply({ type: 'sample', sample: sampleOf(50, [20]) });
    live.apply(step(0, 0, 1));
    live.apply({ type: 'prompt', prompt_tokens: 7, tokenization_ms: 0.5 });
    live.apply({ type: 'tokens', first: 0, ids: [1, 2], at_ms: [40, 60], texts: ['a', 'b'] });
    const late = new LiveTrace(structuredClone(live.draft));
    expect(late.groups.map(({ lanes }) => lanes.length)).toEqual([1, 1, 0]);
    expect(late.current!.count).toBe(2);
    expect(late.tokens).toBe(4);
    late.apply({ type: 'tokens', first: 2, ids: [3], at_ms: [80], texts: ['c'] });
    expect(late.current!.texts).toEqual(['a', 'b', 'c']);
  });
});
