import { describe, expect, test } from 'vitest';
import { recordNotes } from '../../../shared/notes.ts';
import { applyEvent, draftToRecord, startDraft } from '../../../shared/record-draft.ts';
import { planSchema } from '../../../shared/plan.ts';
import { computedLogits, recordSchema } from '../../../shared/record.ts';

const minimal = {
  model: { id: 'm' },
  generation: { strategy: 'greedy', max_new_tokens: 1, do_sample: false, warmup_tokens: 0 },
  runs: [],
  batch_sweep: [],
  prefix_reuse: null,
};
const textsOf = (change: object) => recordNotes(recordSchema.parse({ ...minimal, ...change })).map(({ text }) => text);
const modelNotes = (model: object) => textsOf({ model: { id: 'm', ...model } });

describe('a reader is told', () => {
  test('that prompts went in raw, and why', () => {
    expect(modelNotes({ chat_template: true })).toEqual([]);
    expect(modelNotes({ chat_template: false })).toEqual([
      'Prompts went in as they are, without the marks of a chat: the model has no chat template.',
    ]);
    expect(modelNotes({ chat_template: 'failed: needs a persona' })).toEqual([
      'Prompts went in as they are, without the marks of a chat: its chat template failed: needs a persona.',
    ]);
  });

  test('that the head could not be limited, and why', () => {
    for (const control of ['start', 'keep', 'last']) expect(modelNotes({ logits_control: control })).toEqual([]);
    expect(modelNotes({ logits_control: 'none' })).toEqual([
      'Logits of every position were computed, whatever was asked for.',
    ]);
    expect(modelNotes({ logits_control: 'none', logits_note: 'nothing computes "logits"' })).toEqual([
      'Logits of every position were computed, whatever was asked for: nothing computes "logits".',
    ]);
  });

  test('which device was passed over', () => {
    expect(textsOf({ environment: { device: 'cpu', device_note: 'webgpu: no adapter' } })).toEqual([
      'It ran on cpu: webgpu: no adapter.',
    ]);
  });
});

test('what a graph computes is what it can, not what it was asked for', () => {
  for (const wanted of ['last', 'all'] as const) {
    expect(computedLogits('none', wanted)).toBe('all');
    expect(computedLogits('last', wanted)).toBe('last');
    expect(computedLogits('start', wanted)).toBe(wanted);
    expect(computedLogits('keep', wanted)).toBe(wanted);
    expect(computedLogits(undefined, wanted)).toBe(wanted);
  }
});

test('a request that was cut off says so as well', () => {
  const plan = planSchema.parse({ runs: [{ name: 'a', prompt: 'b' }] });
  const load = { model_ms: 1, tokenizer_ms: 1, reused: false };
  const header = { environment: {}, model: { id: 'm', logits_control: 'none' as const }, load, source_sha256: '' };
  const draft = startDraft(plan, header, '2026-01-01T00:00:00.000Z');
  applyEvent(draft, { type: 'step', step: { kind: 'run', run: 0, name: 'a', sample: 0, of: 1 }, index: 0, count: 1 });
  applyEvent(draft, { type: 'prompt', prompt_tokens: 3, tokenization_ms: 1 });
  applyEvent(draft, { type: 'tokens', first: 0, ids: [1], at_ms: [5], texts: ['x'] });
  expect(draftToRecord(draft, { status: 'failed', reason: 'gone' }).runs[0]?.samples[0]?.logits).toBe('all');
});
