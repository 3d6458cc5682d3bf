import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEMO_MODEL } from '../../../main/app-paths.ts';
import type { Profiler } from '../../../main/profiler-contract.ts';
import { forkNodeWorker } from '../../../main/worker-process.ts';
import { applyEvent, startDraft } from '../../../shared/record-draft.ts';
import type { TraceRecord } from '../../../shared/record.ts';
import { recordRefusals } from '../../../shared/refusals.ts';
import { STANDARD_SUITE } from '../../../shared/standard-suite.ts';
import { planSchema } from '../../../shared/plan.ts';
import { openProfilers } from '../../support/open-profilers.ts';
import { longPlan, messageOfOutcome, openedOf, plan, temporaryFolder, valueOf } from '../../support/profiler.ts';

const open = openProfilers();

async function recordOf(profiler: Profiler, id: string | null): Promise<TraceRecord> {
  if (id === null) throw new Error('the run left no record');
  const record = openedOf(await profiler.readRecord(id));
  if (!record.valid) throw new Error(`the record was refused: ${record.problems[0]?.reason}`);
  return record.record;
}

describe('a run', () => {
  test('of the standard suite ends as a complete, unsaved record, and the events alone give the same samples', async () => {
    const { profiler, events, dataDirectory } = await open();
    valueOf(await profiler.startRun({ model: 'demo', plan: planSchema.parse({ ...STANDARD_SUITE, threads: 1 }) }));
    expect(profiler.getState().run).toMatchObject({ phase: 'loading', model: 'demo', plan_name: 'standard suite' });
    const { id, notice } = await events.ended();
    expect(notice).toBeNull();

    const record = await recordOf(profiler, id);
    expect(record.status).toBe('complete');
    expect(recordRefusals(record)).toEqual([]);
    expect(record.runs.map(({ name, samples }) => [name, samples.length])).toEqual(
      STANDARD_SUITE.runs.map(({ name }) => [name, 3]),
    );
    const { run, tabs, models } = profiler.getState();
    expect(run).toBeNull();
    expect(tabs).toMatchObject([{ id, unsaved: true, valid: true }]);
    expect(models[0]?.info?.layers).toBeGreaterThan(0);

    const started = events.of('run_started');
    expect(started).toHaveLength(1);
    const draft = startDraft(started[0]!.draft.plan, started[0]!.draft.header, started[0]!.draft.createdAt);
    for (const { event } of events.of('run_event')) applyEvent(draft, event);
    expect(draft.samples).toEqual(record.runs.map(({ samples }) => samples));
    expect(draft.batches).toEqual(record.batch_sweep);
    expect(draft.prefixReuse).toEqual(record.prefix_reuse);
    // Its record is safe, so its journal is gone.
    expect(readdirSync(join(dataDirectory, 'journal'))).toEqual([]);
  });

  test('keeps its model warm for the next', async () => {
    const { profiler, events, workers } = await open();
    valueOf(await profiler.startRun({ model: 'demo', plan: plan() }));
    const first = await recordOf(profiler, (await events.ended()).id);
    const after = events.all.length;
    valueOf(await profiler.startRun({ model: 'demo', plan: plan() }));
    const second = await recordOf(profiler, (await events.ended(after)).id);
    expect([first.load?.reused, second.load?.reused]).toEqual([false, true]);
    expect(workers).toHaveLength(1);
  });

  test('is refused while another is going on, with the reason', async () => {
    const { profiler, events } = await open();
    valueOf(await profiler.startRun({ model: 'demo', plan: longPlan() }));
    const refusal = await profiler.startRun({ model: 'demo', plan: plan() });
    expect(messageOfOutcome(refusal)).toContain('a run is going on: test on demo model');
    await events.tokens();
    valueOf(await profiler.cancelRun());
    await events.ended();
  });

  test('is refused for a model that is not on the list', async () => {
    const { profiler } = await open();
    expect(messageOfOutcome(await profiler.startRun({ model: '../etc', plan: plan() }))).toBe(
      'this model is not on the list',
    );
    expect(profiler.getState().run).toBeNull();
  });

  test('stops at the next token and keeps the partial sample', async () => {
    const { profiler, events } = await open();
    valueOf(await profiler.startRun({ model: 'demo', plan: longPlan() }));
    await events.tokens();
    valueOf(await profiler.cancelRun());
    expect(profiler.getState().run?.phase).toBe('stopping');
    const { id, kind, notice } = await events.ended();
    expect([kind, notice]).toEqual(['info', expect.stringContaining('stopped')]);
    const record = await recordOf(profiler, id);
    expect(record.status).toBe('cancelled');
    expect(record.runs[0]?.samples.at(-1)?.stop_reason).toBe('cancelled');
  });

  test('that is stopped while its model loads leaves nothing, and the next works', async () => {
    const { profiler, events } = await open();
    valueOf(await profiler.startRun({ model: 'demo', plan: plan() }));
    await events.next((event) => event.type === 'state' && event.state.run?.stage === 'tokenizer');
    valueOf(await profiler.cancelRun());
    expect(await events.ended()).toMatchObject({
      id: null,
      kind: 'info',
      notice: expect.stringContaining('nothing to keep'),
    });
    const after = events.all.length;
    valueOf(await profiler.startRun({ model: 'demo', plan: plan() }));
    expect((await events.ended(after)).notice).toBeNull();
    expect(profiler.getState().models[0]?.problem).toBeNull();
  });

  test('whose process is killed says so, keeps what arrived, and the next works in a new process', async () => {
    const { profiler, events, workers } = await open();
    valueOf(await profiler.startRun({ model: 'demo', plan: longPlan() }));
    await events.tokens(500);
    process.kill(workers[0]!.pid!, 'SIGKILL');
    const { id, kind, notice } = await events.ended();
    expect([kind, notice]).toEqual(['error', expect.stringContaining('SIGKILL')]);
    const record = await recordOf(profiler, id);
    expect(record).toMatchObject({ status: 'failed', status_reason: expect.stringContaining('SIGKILL') });
    const told = events.of('run_event').flatMap(({ event }) => (event.type === 'tokens' ? event.ids : []));
    expect(record.runs[0]?.samples.flatMap((sample) => sample.generated_token_ids)).toEqual(told);

    const after = events.all.length;
    valueOf(await profiler.startRun({ model: 'demo', plan: plan() }));
    expect((await events.ended(after)).notice).toBeNull();
    expect(workers).toHaveLength(2);
  });

  test('whose process does not react to a cancel is ended after a set time', async () => {
    const script = join(import.meta.dirname, '../../support/deaf-worker.mjs');
    const { profiler, events, workers } = await open({ forkWorker: () => forkNodeWorker(script), cancelTimeoutMs: 50 });
    valueOf(await profiler.startRun({ model: 'demo', plan: plan() }));
    await events.tokens();
    valueOf(await profiler.cancelRun());
    const { id, notice } = await events.ended();
    expect(notice).toContain('did not stop when it was told to');
    expect(await recordOf(profiler, id)).toMatchObject({ status: 'failed' });
    expect(() => process.kill(workers[0]!.pid!, 0)).toThrow();
  });

  test('of a model whose folder has gone is an ordinary message, also in the list', async () => {
    const folder = join(temporaryFolder(), 'model');
    cpSync(DEMO_MODEL, folder, { recursive: true });
    const { profiler, events } = await open();
    const added = valueOf(await profiler.addModel({ by: 'path', path: folder }));
    valueOf(await profiler.startRun({ model: added!.id, plan: longPlan() }));
    await events.tokens();
    renameSync(folder, `${folder}-elsewhere`);
    // What is loaded needs its files no more, or says why it does.
    valueOf(await profiler.cancelRun());
    expect((await events.ended()).notice).toEqual(expect.any(String));
    const after = events.all.length;
    valueOf(await profiler.startRun({ model: added!.id, plan: plan() }));
    expect(await events.ended(after)).toMatchObject({
      id: null,
      kind: 'error',
      notice: expect.stringContaining('no such folder'),
    });
    expect(profiler.getState().models[1]?.problem).toContain('no such folder');
  });

  test('of a model whose files have changed is hashed and loaded anew', async () => {
    const folder = join(temporaryFolder(), 'model');
    cpSync(DEMO_MODEL, folder, { recursive: true });
    const { profiler, events } = await open();
    const { id: model } = valueOf(await profiler.addModel({ by: 'path', path: folder }))!;
    const hashes: (string | undefined)[] = [];
    for (let round = 0; round < 3; round++) {
      if (round === 2) appendFileSync(join(folder, 'config.json'), '\n');
      const after = events.all.length;
      valueOf(await profiler.startRun({ model, plan: plan() }));
      const record = await recordOf(profiler, (await events.ended(after)).id);
      hashes.push(record.model.files?.find(({ path }) => path === 'config.json')?.sha256);
      expect(record.load?.reused).toBe(round === 1);
    }
    expect(hashes[1]).toBe(hashes[0]);
    expect(hashes[2]).not.toBe(hashes[0]);
  });

  describe('of a model whose files', () => {
    /** The demo model's copy, and a run that is in the middle of it. */
    async function runningOnCopy() {
      const folder = join(temporaryFolder(), 'model');
      cpSync(DEMO_MODEL, folder, { recursive: true });
      const test = await open();
      const { id: model } = valueOf(await test.profiler.addModel({ by: 'path', path: folder }))!;
      valueOf(await test.profiler.startRun({ model, plan: longPlan() }));
      await test.events.tokens();
      return { ...test, folder, model, graph: join(folder, 'onnx', 'model.onnx') };
    }

    test('are written over during the run ends in words: its weights are not those that the record names', async () => {
      const { profiler, events, graph } = await runningOnCopy();
      const bytes = readFileSync(graph);
      bytes[bytes.length - 1]! ^= 1;
      writeFileSync(graph, bytes);
      valueOf(await profiler.cancelRun());
      const { id, notice } = await events.ended();
      expect(notice).toContain('onnx/model.onnx was written over during the run');
      expect(await recordOf(profiler, id)).toMatchObject({ status: 'failed' });
    });

    test('are cut to nothing during the run: the run ends in words, and the next says what is wrong', async () => {
      const { profiler, events, graph, model } = await runningOnCopy();
      writeFileSync(graph, '');
      valueOf(await profiler.cancelRun());
      expect((await events.ended()).notice).toContain('onnx/model.onnx was written over during the run');
      const after = events.all.length;
      valueOf(await profiler.startRun({ model, plan: plan() }));
      expect(await events.ended(after)).toMatchObject({ id: null, notice: expect.stringContaining('model.onnx') });
    });

    test('are replaced as a whole by another model measures what it has loaded, and the next run the other', async () => {
      const { profiler, events, folder, model } = await runningOnCopy();
      renameSync(folder, `${folder}-before`);
      cpSync(`${folder}-before`, folder, { recursive: true });
      renameSync(join(folder, 'onnx', 'model_int8.onnx'), join(folder, 'onnx', 'model.onnx'));
      valueOf(await profiler.cancelRun());
      const { id, notice } = await events.ended();
      expect(notice).toContain('stopped');
      const after = events.all.length;
      valueOf(await profiler.startRun({ model, plan: plan() }));
      const next = await recordOf(profiler, (await events.ended(after)).id);
      const hashOf = (record: TraceRecord) =>
        record.model.files?.find(({ path }) => path === 'onnx/model.onnx')?.sha256;
      const hashIn = (directory: string) =>
        createHash('sha256')
          .update(readFileSync(join(directory, 'onnx', 'model.onnx')))
          .digest('hex');
      expect(hashOf(await recordOf(profiler, id))).toBe(hashIn(`${folder}-before`));
      expect(hashOf(next)).toBe(hashIn(folder));
      expect(next.status).toBe('complete');
    });

    test('are touched but not changed is complete', async () => {
      const { profiler, events, graph } = await runningOnCopy();
      utimesSync(graph, new Date(0), new Date(0));
      chmodSync(graph, 0o600);
      valueOf(await profiler.cancelRun());
      expect(await recordOf(profiler, (await events.ended()).id)).toMatchObject({ status: 'cancelled' });
    });
  });

  test('whose record cannot be stored keeps its journal, and comes back from it', async () => {
    const first = await open();
    const { profiler, events, dataDirectory } = first;
    rmSync(join(dataDirectory, 'records'), { recursive: true });
    writeFileSync(join(dataDirectory, 'records'), 'in the way');
    valueOf(await profiler.startRun({ model: 'demo', plan: plan() }));
    const { id } = await events.ended();
    expect(events.of('notice')).toMatchObject([{ message: expect.stringContaining('will not be open again') }]);
    const record = await recordOf(profiler, id);
    expect(readdirSync(join(dataDirectory, 'journal'))).toHaveLength(1);
    await profiler.close();
    rmSync(join(dataDirectory, 'records'));
    const second = await open({ dataDirectory });
    const [tab] = second.profiler.getState().tabs;
    expect(await recordOf(second.profiler, tab!.id)).toEqual(record);
    expect(readdirSync(join(dataDirectory, 'journal'))).toEqual([]);
  });

  test('can be attached to in the middle: the draft holds what was told so far', async () => {
    const { profiler, events } = await open();
    expect(profiler.attachRun()).toBeUndefined();
    valueOf(await profiler.startRun({ model: 'demo', plan: longPlan() }));
    await events.tokens(100);
    const draft = profiler.attachRun();
    const counted = draft!.samples.flat().reduce((sum, sample) => sum + sample.generated_tokens, 0);
    const told = events.of('run_event').flatMap(({ event }) => (event.type === 'tokens' ? event.ids : []));
    expect(counted + (draft!.open?.ids.length ?? 0)).toBe(told.length);
    await profiler.close();
    expect((await events.ended()).notice).toContain('stopped');
  });
});
