import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LoadedModel } from '../../../../main/inference/decoder.ts';
import { planSteps, runPlan } from '../../../../main/inference/experiments.ts';
import type { RunEvent } from '../../../../shared/messages.ts';
import { runEventSchema } from '../../../../shared/messages.ts';
import { type PlanInput, planSchema } from '../../../../shared/plan.ts';
import { STANDARD_SUITE } from '../../../../shared/standard-suite.ts';
import { loadDemo } from '../../../support/demo.ts';

let demo: LoadedModel;
beforeAll(async () => {
  demo = await loadDemo();
});
afterAll(() => demo.session.release());

const SMALL: PlanInput = {
  warmup: { prompt: 'Hi', max_new_tokens: 2 },
  runs: [
    { name: 'first', prompt: 'What is a token?', max_new_tokens: 5, repeats: 2 },
    { name: 'second', prompt: 'What is a cache?', max_new_tokens: 3, repeats: 1, chunk_size: 4 },
  ],
  batch_sweep: { prompts: ['Hi', 'What is a token?'], batch_sizes: [1, 3], max_new_tokens: 2 },
  prefix_reuse: { prefix: 'What is a token?', suffix: ' And why?' },
};

async function eventsOf(
  model: LoadedModel,
  plan: PlanInput,
  signal = new AbortController().signal,
): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  await runPlan(model, planSchema.parse(plan), { every_ms: 0, texts: true }, (event) => events.push(event), signal);
  return events;
}

describe('a plan', () => {
  test('runs step by step, each with its result, to the end', async () => {
    const events = await eventsOf(demo, SMALL);
    const kinds = events
      .filter((event) => event.type !== 'tokens' && event.type !== 'prompt')
      .map((event) => event.type);
    expect(kinds).toEqual([
      ...['step', 'sample', 'step', 'sample', 'step', 'sample', 'step', 'sample'],
      ...['step', 'batch', 'step', 'batch', 'step', 'prefix_reuse', 'finished'],
    ]);
    expect(events.at(-1)).toEqual({ type: 'finished', status: 'complete' });
    for (const event of events) expect(runEventSchema.safeParse(event).success).toBe(true);
  });

  test('tells every token before its sample, once, with the text and time that the sample has', async () => {
    const events = await eventsOf(demo, SMALL);
    let ids: number[] = [];
    let texts: string[] = [];
    let atMs: number[] = [];
    for (const event of events) {
      if (event.type === 'step') [ids, texts, atMs] = [[], [], []];
      if (event.type === 'tokens') {
        expect(event.first).toBe(ids.length);
        ids.push(...event.ids);
        texts.push(...(event.texts ?? []));
        atMs.push(...event.at_ms);
      }
      if (event.type === 'sample') {
        expect(ids).toEqual(event.sample.generated_token_ids);
        expect(texts).toEqual(event.sample.token_texts);
        expect(atMs[0]).toBeCloseTo(event.sample.ttft_ms, 3);
        expect(atMs.at(-1)).toBeCloseTo(event.sample.e2e_ms, 3);
      }
    }
  });

  test('fills a batch with its prompts in turn', async () => {
    const events = await eventsOf(demo, SMALL);
    const batches = events.flatMap((event) => (event.type === 'batch' ? [event.batch] : []));
    expect(batches.map((batch) => batch.batch_size)).toEqual([1, 3]);
    expect(batches[1]!.texts[0]).toBe(batches[0]!.texts[0]);
    expect(batches[1]!.texts[2]).toBe(batches[0]!.texts[0]);
  });

  test('may leave out warm-up, batches and prefix reuse', async () => {
    const events = await eventsOf(demo, {
      warmup: null,
      runs: [{ name: 'a', prompt: 'Hi', repeats: 1, max_new_tokens: 1 }],
    });
    expect(events.filter((event) => event.type === 'step')).toHaveLength(1);
  });

  test('ends where it is stopped', async () => {
    const stop = new AbortController();
    const events: RunEvent[] = [];
    const plan = planSchema.parse(SMALL);
    await runPlan(
      demo,
      plan,
      { every_ms: 0, texts: false },
      (event) => {
        events.push(event);
        if (event.type === 'tokens' && events.filter((e) => e.type === 'step').length === 2) stop.abort();
      },
      stop.signal,
    );
    expect(events.at(-1)).toEqual({ type: 'finished', status: 'cancelled' });
    const samples = events.flatMap((event) => (event.type === 'sample' ? [event.sample] : []));
    expect(samples.at(-1)).toMatchObject({ stop_reason: 'cancelled', generated_tokens: 1 });
    expect(events.some((event) => event.type === 'batch')).toBe(false);
  });

  test('is refused as a whole, before its first step, if any of it cannot run', async () => {
    const events: RunEvent[] = [];
    const emit = (event: RunEvent) => events.push(event);
    const refused = (plan: PlanInput) =>
      runPlan(demo, planSchema.parse(plan), { every_ms: 0, texts: false }, emit, new AbortController().signal);
    const fits = { name: 'fits', prompt: 'Hi' };
    await expect(refused({ runs: [fits, { name: 'b', prompt: 'Hi', max_new_tokens: 2048 }] })).rejects.toMatchObject({
      path: 'runs[1].max_new_tokens',
      code: 'argument',
    });
    await expect(
      refused({ runs: [fits], batch_sweep: { prompts: ['Hi', 'word '.repeat(3000)], batch_sizes: [1] } }),
    ).rejects.toMatchObject({ path: 'batch_sweep.prompts[1].max_new_tokens' });
    await expect(
      refused({ runs: [fits], prefix_reuse: { prefix: 'word '.repeat(3000), suffix: '' } }),
    ).rejects.toMatchObject({
      path: 'prefix_reuse.max_new_tokens',
    });
    expect(events).toEqual([]);
  });

  test('goes on past a batch that this graph cannot run, and says why', async () => {
    const graph = { ...demo.session.graph, opTypes: new Map([['GroupQueryAttention', 4]]) };
    const events = await eventsOf({ ...demo, session: { ...demo.session, graph } }, SMALL);
    expect(events.filter((event) => event.type === 'batch')).toHaveLength(1);
    expect(events.filter((event) => event.type === 'skipped')).toEqual([
      {
        type: 'skipped',
        reason: expect.stringMatching(/batch of 3 prompts of \d+ to \d+ tokens needs padding on the left/),
      },
    ]);
    expect(events.at(-1)).toEqual({ type: 'finished', status: 'complete' });
  });
});

test('the standard suite has the lab’s steps and one run more', () => {
  const steps = planSteps(planSchema.parse(STANDARD_SUITE));
  expect(steps).toHaveLength(1 + 6 * 3 + 3 + 1);
  expect(steps[0]).toEqual({ kind: 'warmup' });
  expect(steps.at(-1)).toEqual({ kind: 'prefix_reuse' });
});
