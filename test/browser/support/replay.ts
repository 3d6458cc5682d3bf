import type { RunEvent } from '../../../shared/messages.ts';
import type { Plan } from '../../../shared/plan.ts';
import type { Sample, TraceRecord } from '../../../shared/record.ts';

/** An event, and when it comes, in milliseconds from the start of the run. */
export interface TimedEvent {
  at: number;
  event: RunEvent;
}

/** Tokens are told in batches of this time, as the worker does. */
const POST_EVERY_MS = 16;

/** The events by which a record came about, for the plan's steps that the record has samples for. */
export function replay(record: TraceRecord, plan: Plan): TimedEvent[] {
  const events: TimedEvent[] = [];
  let clock = 0;
  const push = (event: RunEvent): void => void events.push({ at: clock, event });
  const repeats = plan.runs.reduce((sum, run) => sum + run.repeats, 0);
  const count =
    (plan.warmup === null ? 0 : 1) +
    repeats +
    (plan.batch_sweep?.batch_sizes.length ?? 0) +
    (plan.prefix_reuse === null ? 0 : 1);
  let index = 0;

  const request = (sample: Sample): void => {
    push({ type: 'prompt', prompt_tokens: sample.prompt_tokens ?? 0, tokenization_ms: sample.tokenization_ms ?? 0 });
    let at = sample.ttft_ms;
    const start = clock;
    let batch: { first: number; ids: number[]; at_ms: number[]; texts: string[] } = {
      first: 0,
      ids: [],
      at_ms: [],
      texts: [],
    };
    const flush = (): void => {
      if (batch.ids.length === 0) return;
      push({ type: 'tokens', ...batch });
      batch = { first: batch.first + batch.ids.length, ids: [], at_ms: [], texts: [] };
    };
    sample.generated_token_ids.forEach((id, token) => {
      if (token > 0) at += sample.itl_ms[token - 1] ?? 0;
      clock = start + at;
      batch.ids.push(id);
      batch.at_ms.push(at);
      batch.texts.push(sample.token_texts?.[token] ?? ` t${token + 1}`);
      if (at - (batch.at_ms[0] ?? 0) >= POST_EVERY_MS) flush();
    });
    flush();
    push({ type: 'sample', sample });
  };

  if (plan.warmup !== null && record.warmup) {
    push({ type: 'step', step: { kind: 'warmup' }, index: index++, count });
    request(record.warmup);
  }
  plan.runs.forEach((run, place) => {
    const recorded = record.runs.find(({ name }) => name === run.name) ?? record.runs[0];
    for (let sample = 0; sample < run.repeats; sample += 1) {
      push({
        type: 'step',
        step: { kind: 'run', run: place, name: run.name, sample, of: run.repeats },
        index: index++,
        count,
      });
      const source = recorded?.samples[sample % recorded.samples.length];
      if (source !== undefined) request(source);
    }
  });
  for (const size of plan.batch_sweep?.batch_sizes ?? []) {
    push({ type: 'step', step: { kind: 'batch', batch_size: size }, index: index++, count });
    const batch = record.batch_sweep.find(({ batch_size }) => batch_size === size);
    clock += batch?.elapsed_ms ?? 0;
    if (batch !== undefined) push({ type: 'batch', batch });
  }
  if (plan.prefix_reuse !== null) {
    push({ type: 'step', step: { kind: 'prefix_reuse' }, index: index++, count });
    if (record.prefix_reuse !== null) push({ type: 'prefix_reuse', prefix_reuse: record.prefix_reuse });
  }
  return events;
}

/** One long request at a steady rate, to see whether the window keeps up: `rate` tokens a second for `seconds`. */
export function steadyStream(rate: number, seconds: number): TimedEvent[] {
  const total = rate * seconds;
  const interval = 1000 / rate;
  const events: TimedEvent[] = [
    {
      at: 0,
      event: { type: 'step', step: { kind: 'run', run: 0, name: 'stream', sample: 0, of: 1 }, index: 0, count: 1 },
    },
    { at: 0, event: { type: 'prompt', prompt_tokens: 8, tokenization_ms: 0.1 } },
  ];
  const perPost = Math.max(1, Math.round(POST_EVERY_MS / interval));
  for (let first = 0; first < total; first += perPost) {
    const ids = Array.from({ length: Math.min(perPost, total - first) }, (_, offset) => first + offset);
    const at_ms = ids.map((id) => (id + 1) * interval);
    events.push({
      at: at_ms.at(-1) ?? 0,
      event: { type: 'tokens', first, ids, at_ms, texts: ids.map((id) => ` w${id % 977}`) },
    });
  }
  const at = (token: number): number => (token + 1) * interval;
  const sample: Sample = {
    prompt: 'stream',
    prompt_tokens: 8,
    generated_token_ids: Array.from({ length: total }, (_, token) => token),
    generated_tokens: total,
    token_texts: Array.from({ length: total }, (_, token) => ` w${token % 977}`),
    stop_reason: 'length',
    tokenization_ms: 0.1,
    ttft_ms: at(0),
    itl_ms: Array.from({ length: total - 1 }, (_, token) => at(token + 1) - at(token)),
    e2e_ms: at(total - 1),
  };
  events.push({ at: at(total - 1), event: { type: 'sample', sample } });
  return events;
}
