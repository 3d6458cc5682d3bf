import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openProfilers } from '../../support/open-profilers.ts';
import { messageOfOutcome, plan, type TestProfiler, temporaryFolder, valueOf } from '../../support/profiler.ts';
import { CAN_MOUNT, type SmallDisk, smallDisk } from '../../support/small-disk.ts';

const disks: SmallDisk[] = [];
// The profilers' own comes after it, so it runs before: a disk is taken away once nobody writes to it.
afterEach(() => {
  for (const disk of disks.splice(0)) disk.remove();
});
const openAt = openProfilers();
const open = (dataDirectory: string) => openAt({ dataDirectory });
function disk(kilobytes: number): SmallDisk {
  const made = smallDisk(kilobytes);
  if (made === undefined) throw new Error('there was a small disk a moment ago');
  disks.push(made);
  return made;
}
const told = ({ events }: TestProfiler) => events.of('notice').map(({ message }) => message);

/** A run from its start to a valid record, wherever it could be kept. */
async function measure(app: TestProfiler): Promise<string> {
  const after = app.events.all.length;
  valueOf(await app.profiler.startRun({ model: 'demo', plan: plan() }));
  const { id, notice } = await app.events.ended(after);
  expect(notice).toBeNull();
  expect(valueOf(await app.profiler.readRecord(id ?? '')).valid).toBe(true);
  return id ?? '';
}

test('a data directory that cannot be made: everything works, and it says what is not kept', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'a-file'), '');
  const app = await open(join(folder, 'a-file', 'data'));
  expect(told(app)).toEqual([expect.stringContaining('nothing can be kept from one start to the next')]);
  const id = await measure(app);
  expect(await app.profiler.lostOnClose()).toBe(1);
  app.choose.save = join(folder, 'saved.json');
  valueOf(await app.profiler.saveRecord({ id, as: false }));
  expect(await app.profiler.lostOnClose()).toBe(0);
  expect(told(app).join('\n')).not.toMatch(/[A-Z]{5}:|    at /);
});

test.skipIf(!CAN_MOUNT)('a disk that is full loses nothing of a run: once there is room, it is kept', async () => {
  const { path, fill, free } = disk(2048);
  const dataDirectory = join(path, 'data');
  const app = await open(dataDirectory);
  fill();
  const id = await measure(app);
  expect(told(app)).toEqual([
    'the run is not kept safe while it goes on: the disk is full, nothing was written',
    'this record will not be open again after a restart: the disk is full, nothing was written',
  ]);
  app.choose.save = join(path, 'saved.json');
  expect(messageOfOutcome(await app.profiler.saveRecord({ id, as: false }))).toContain('the disk is full');
  expect(app.profiler.getState().tabs).toMatchObject([{ id, unsaved: true }]);
  app.choose.save = join(path, 'report.html');
  const exported = await app.profiler.exportFile({ id, format: 'html', scale: 1, theme: 'light' });
  expect(messageOfOutcome(exported)).toContain('the disk is full');
  expect(await app.profiler.lostOnClose()).toBe(1);
  expect(told(app).slice(2)).toEqual(['session.json could not be saved: the disk is full, nothing was written']);
  expect(readdirSync(path).toSorted()).toEqual(['data', 'filler']);

  free();
  expect(await app.profiler.lostOnClose()).toBe(0);
  const record = valueOf(await app.profiler.readRecord(id));
  await app.profiler.close();
  const again = await open(dataDirectory);
  const [tab] = again.profiler.getState().tabs;
  expect(tab).toMatchObject({ id, unsaved: true });
  expect(valueOf(await again.profiler.readRecord(id))).toEqual(record);
});

test.skipIf(!CAN_MOUNT)('a disk that fills up in the middle of a run: the record is whole, in memory', async () => {
  const { path, fill } = disk(2048);
  const app = await open(join(path, 'data'));
  fill(8192);
  const id = await measure(app);
  expect(told(app)[0]).toBe('the run is not kept safe while it goes on: the disk is full, nothing was written');
  const [journal = ''] = readdirSync(join(path, 'data', 'journal'));
  expect(readFileSync(join(path, 'data', 'journal', journal)).length).toBeGreaterThan(0);
  expect(await app.profiler.lostOnClose()).toBe(1);
  expect(valueOf(await app.profiler.exportRecord(id)).text).toContain('"status": "complete"');
});

test.skipIf(!CAN_MOUNT)('a shape that does not fit on the disk is not left half written', async () => {
  const { path } = disk(4096);
  const app = await open(join(path, 'data'));
  const outcome = await app.profiler.synthesizeModel('tiny');
  expect(messageOfOutcome(outcome)).toMatch(/has .* MB free, the model needs .* MB/);
  expect(readdirSync(join(path, 'data', 'models'))).toEqual([]);
});

test.skipIf(!CAN_MOUNT)(
  'a data directory that is read-only: what was there is shown, and nothing changes',
  async () => {
    const { path, readOnly } = disk(2048);
    const dataDirectory = join(path, 'data');
    const before = await open(dataDirectory);
    const id = await measure(before);
    await before.profiler.close();
    await readOnly();
    const listing = readdirSync(dataDirectory, { recursive: true });
    const app = await open(dataDirectory);
    expect(app.profiler.getState().tabs).toMatchObject([{ id, unsaved: true }]);
    await measure(app);
    valueOf(await app.profiler.updateSettings({ theme: 'dark' }));
    app.choose.save = join(path, 'saved.json');
    expect(messageOfOutcome(await app.profiler.saveRecord({ id, as: true }))).toContain('the disk is read-only');
    valueOf(await app.profiler.closeRecord(id));
    expect(await app.profiler.lostOnClose()).toBe(1);
    await app.profiler.close();
    expect(told(app).length).toBeGreaterThan(0);
    for (const message of told(app)) expect(message).toContain('the disk is read-only');
    expect(readdirSync(dataDirectory, { recursive: true })).toEqual(listing);
  },
);

test.skipIf(!CAN_MOUNT)('a read-only disk without a data directory', async () => {
  const { path, readOnly } = disk(64);
  mkdirSync(join(path, 'home'));
  await readOnly();
  const app = await open(join(path, 'home', 'data'));
  expect(told(app)).toEqual([
    `nothing can be kept from one start to the next, save records as files of your own: the disk is read-only (${join(path, 'home', 'data')})`,
  ]);
  await measure(app);
});
