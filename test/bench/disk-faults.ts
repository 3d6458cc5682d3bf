import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SAMPLE_RECORD } from '../../main/app-paths.ts';
import type { Outcome } from '../../shared/host.ts';
import { openTestProfiler, plan, type TestProfiler, valueOf } from '../support/profiler.ts';
import { type SmallDisk, smallDisk } from '../support/small-disk.ts';
import { type FaultRow, faultFolder, isPlain, seeded } from './fault-row.ts';

const NO_DISK = 'not tried: only the superuser of Linux can make a disk for it';
const refusedPlainly = (outcome: Outcome<unknown>) => !outcome.ok && isPlain(outcome.error.message);
const leftovers = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.tmp'));

/** A run that ends with a valid record in memory, whatever became of the disk. */
async function measured(app: TestProfiler): Promise<string | undefined> {
  const after = app.events.all.length;
  valueOf(await app.profiler.startRun({ model: 'demo', plan: plan() }));
  const { id } = await app.events.ended(after);
  if (id === null) return undefined;
  return valueOf(await app.profiler.readRecord(id)).valid ? id : undefined;
}

const allPlain = ({ events }: TestProfiler) => events.of('notice').every(({ message }) => isPlain(message));

export async function diskFull(times: number): Promise<FaultRow> {
  const next = seeded(11);
  let held = 0;
  let told = 0;
  for (let index = 0; index < times; index++) {
    const disk = smallDisk(1024);
    if (disk === undefined) return { fault: 'disk full', times: 0, held: 0, note: NO_DISK };
    const app = await openTestProfiler({ dataDirectory: join(disk.path, 'data') });
    // Anything from no room at all to room for the journal but not for the record.
    disk.fill(Math.floor(next() * 24_000));
    const id = await measured(app);
    app.choose.save = join(disk.path, 'saved.json');
    const here = id === undefined ? undefined : await app.profiler.saveRecord({ id, as: true });
    app.choose.save = join(faultFolder(), 'saved.json');
    const elsewhere = id === undefined ? undefined : await app.profiler.saveRecord({ id, as: true });
    const fine =
      here !== undefined &&
      (here.ok || refusedPlainly(here)) &&
      elsewhere?.ok === true &&
      existsSync(app.choose.save) &&
      allPlain(app) &&
      leftovers(disk.path).length === 0;
    if (app.events.of('notice').length > 0) told++;
    if (fine) held++;
    await app.profiler.close();
    disk.remove();
  }
  return { fault: 'disk full during a run and a save', times, held, note: `records whole, ${told} times it was told` };
}

export async function readOnlyFolder(): Promise<FaultRow> {
  // Not during a run: a disk with a file open for writing, its journal, cannot be made read-only.
  const moments = ['before the start', 'before the run', 'before the save', 'before a close'];
  let held = 0;
  for (const moment of moments) {
    const disk = smallDisk(2048);
    if (disk === undefined) return { fault: 'read-only folder', times: 0, held: 0, note: NO_DISK };
    if (await holdsReadOnly(disk, moment)) held++;
    disk.remove();
  }
  return { fault: 'folder becomes read-only', times: moments.length, held, note: moments.join(', ') };
}

async function holdsReadOnly(disk: SmallDisk, moment: string): Promise<boolean> {
  const at = async (name: string) => {
    if (moment === name) await disk.readOnly();
  };
  mkdirSync(join(disk.path, 'home'));
  await at('before the start');
  const app = await openTestProfiler({ dataDirectory: join(disk.path, 'home', 'data') });
  await at('before the run');
  const id = await measured(app);
  await at('before the save');
  app.choose.save = join(disk.path, 'saved.json');
  const saved = id === undefined ? undefined : await app.profiler.saveRecord({ id, as: true });
  await at('before a close');
  const closed = id === undefined ? undefined : await app.profiler.closeRecord(id);
  await app.profiler.close();
  const wasWritable = moment === 'before a close';
  return (
    saved !== undefined && (wasWritable ? saved.ok : refusedPlainly(saved)) && closed?.ok === true && allPlain(app)
  );
}

/** Each thing that can be done with a record, after its file was removed: it works, or says why not. */
export async function fileRemoved(): Promise<FaultRow> {
  const acts: { name: string; works: boolean; act: (app: TestProfiler, id: string) => Promise<Outcome<unknown>> }[] = [
    { name: 'read', works: true, act: ({ profiler }, id) => profiler.readRecord(id) },
    { name: 'save', works: true, act: ({ profiler }, id) => profiler.saveRecord({ id, as: true }) },
    {
      name: 'export',
      works: true,
      act: ({ profiler }, id) => profiler.exportFile({ id, format: 'html', scale: 1, theme: 'light' }),
    },
    { name: 'close', works: true, act: ({ profiler }, id) => profiler.closeRecord(id) },
    {
      name: 'open it from the recent list',
      works: false,
      act: async ({ profiler }, id) => {
        await profiler.closeRecord(id);
        return profiler.openRecord({ by: 'recent', id: profiler.getState().recent[0]?.id ?? '' });
      },
    },
    {
      name: 'read it after a restart',
      works: false,
      act: async ({ profiler, dataDirectory }, id) => {
        await profiler.close();
        const again = await openTestProfiler({ dataDirectory });
        const outcome = await again.profiler.readRecord(id);
        await again.profiler.close();
        return outcome;
      },
    },
  ];
  let held = 0;
  for (const { works, act } of acts) {
    const folder = faultFolder();
    const path = join(folder, 'open.json');
    copyFileSync(SAMPLE_RECORD, path);
    const app = await openTestProfiler({ dataDirectory: join(folder, 'data') });
    const { id } = valueOf(await app.profiler.openRecord({ by: 'path', path })) ?? { id: '' };
    rmSync(path);
    app.choose.save = join(folder, 'saved.json');
    const outcome = await act(app, id);
    if ((works ? outcome.ok : refusedPlainly(outcome)) && allPlain(app)) held++;
    await app.profiler.close();
  }
  return {
    fault: 'file removed while its record is open',
    times: acts.length,
    held,
    note: acts.map(({ name, works }) => `${name} ${works ? 'works' : 'says why not'}`).join(', '),
  };
}
