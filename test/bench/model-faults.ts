import { createHash } from 'node:crypto';
import { closeSync, cpSync, openSync, readFileSync, renameSync, rmSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DEMO_MODEL } from '../../main/app-paths.ts';
import { longPlan, openedOf, openTestProfiler, plan, valueOf } from '../support/profiler.ts';
import { type FaultRow, faultFolder, isPlain, seeded } from './fault-row.ts';

const GRAPH = 'onnx/model.onnx';
const hashOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

/** What can happen to a model's folder, and whether what runs is still what was loaded. */
const REPLACEMENTS: { name: string; intact: boolean; act: (folder: string) => void }[] = [
  {
    name: 'a byte written over',
    intact: false,
    act: (folder) => {
      const file = openSync(join(folder, GRAPH), 'r+');
      writeSync(file, Buffer.of(0x55), 0, 1, 2_000_000);
      closeSync(file);
    },
  },
  { name: 'cut short', intact: false, act: (folder) => truncateSync(join(folder, GRAPH), 4096) },
  {
    name: 'another variant moved into its place',
    intact: true,
    act: (folder) => renameSync(join(folder, 'onnx/model_int8.onnx'), join(folder, GRAPH)),
  },
  {
    name: 'another folder moved into its place',
    intact: true,
    act: (folder) => {
      renameSync(folder, `${folder}-before`);
      cpSync(`${folder}-before`, folder, { recursive: true });
      renameSync(join(folder, 'onnx/model_int8.onnx'), join(folder, GRAPH));
    },
  },
  { name: 'removed', intact: true, act: (folder) => rmSync(folder, { recursive: true }) },
];

/**
 * A model that changes under a run, at random points. Held: the run ends in words, a record that counts as measured names
 * the bytes that ran, and the next run is of what lies there now, or says why there is none.
 */
export async function modelReplaced(rounds: number): Promise<FaultRow> {
  const next = seeded(23);
  let held = 0;
  for (let round = 0; round < rounds; round++) {
    for (const replacement of REPLACEMENTS) if (await holds(replacement, Math.floor(next() * 300))) held++;
  }
  return {
    fault: 'model replaced during a run',
    times: rounds * REPLACEMENTS.length,
    held,
    note: REPLACEMENTS.map(({ name }) => name).join(', '),
  };
}

async function holds({ intact, act }: (typeof REPLACEMENTS)[number], tokens: number): Promise<boolean> {
  const root = faultFolder();
  const folder = join(root, 'model');
  cpSync(DEMO_MODEL, folder, { recursive: true });
  const loaded = hashOf(join(folder, GRAPH));
  const { profiler, events } = await openTestProfiler({ dataDirectory: join(root, 'data') });
  const { id: model } = valueOf(await profiler.addModel({ by: 'path', path: folder })) ?? { id: '' };
  valueOf(await profiler.startRun({ model, plan: longPlan() }));
  await events.tokens(tokens + 1);
  act(folder);
  // Some way on, or to the end, if that is what it leads to.
  await Promise.race([events.tokens(tokens + 50), events.ended()]);
  await profiler.cancelRun();
  const first = await events.ended();
  const named = await graphNamed(first.id);

  const after = events.all.length;
  valueOf(await profiler.startRun({ model, plan: plan() }));
  const second = await events.ended(after);
  const namedNext = await graphNamed(second.id);
  await profiler.close();
  const ended = intact ? named?.status === 'cancelled' : named === undefined || named.status === 'failed';
  const nextFits = second.id === null ? isPlain(second.notice) : namedNext?.sha256 === hashOf(join(folder, GRAPH));
  rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  return ended && isPlain(first.notice) && (named === undefined || named.sha256 === loaded) && nextFits;

  async function graphNamed(id: string | null) {
    if (id === null) return undefined;
    const opened = openedOf(await profiler.readRecord(id));
    if (!opened.valid) return undefined;
    const { status, model } = opened.record;
    return { status, sha256: model.files?.find(({ path }) => path === GRAPH)?.sha256 };
  }
}
