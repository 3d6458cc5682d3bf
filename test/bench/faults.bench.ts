import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, test } from 'vitest';
import { SAMPLE_RECORD } from '../../main/app-paths.ts';
import { readJournal } from '../../main/run-journal.ts';
import { forkNodeWorker } from '../../main/worker-process.ts';
import { ROOT } from '../electron/support/app-copy.ts';
import { startStandIn } from '../electron/support/stand-in-driver.ts';
import { longPlan, openTestProfiler, plan, valueOf } from '../support/profiler.ts';
import { diskFull, fileRemoved, readOnlyFolder } from './disk-faults.ts';
import { type FaultRow, faultFolder, isPlain, seeded } from './fault-row.ts';
import { modelReplaced } from './model-faults.ts';

const rows: FaultRow[] = [];
const folders: string[] = [];
const folder = () => {
  const path = faultFolder();
  folders.push(path);
  return path;
};

afterAll(() => {
  console.log(
    rows.map(({ fault, times, held, note }) => `${`${held} of ${times}`.padStart(13)}  ${fault}: ${note}`).join('\n'),
  );
  for (const path of folders) rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

test('worker killed at random points of a suite', async () => {
  const { profiler, events, workers } = await openTestProfiler({ dataDirectory: folder() });
  const next = seeded(7);
  let held = 0;
  let kept = 0;
  for (let index = 0; index < 50; index++) {
    events.all.length = 0;
    const started = workers.length;
    valueOf(await profiler.startRun({ model: 'demo', plan: longPlan() }));
    const tokens = Math.floor(next() * 400);
    if (next() < 0.2) {
      // While it loads: nothing is measured yet.
      while (workers.length === started) await new Promise((resolve) => setImmediate(resolve));
    } else {
      await new Promise<void>((resolve) => {
        let told = 0;
        const stop = profiler.subscribe((event) => {
          if (event.type === 'run_event' && event.event.type === 'tokens') told += event.event.ids.length;
          if (told > tokens) resolve();
        });
        void events.ended().then(stop);
      });
    }
    workers.at(-1)?.kill();
    const { id, notice } = await events.ended();
    if (id !== null) kept++;
    const fine = profiler.getState().run === null && isPlain(notice);
    if (fine && (id === null || valueOf(await profiler.readRecord(id)).valid)) held++;
  }
  await profiler.close();
  rows.push({
    fault: 'worker killed at a random point',
    times: 50,
    held,
    note: `ended in words, ${kept} partial records kept`,
  });
});

test('journal cut at every byte', async () => {
  const dataDirectory = folder();
  const { profiler, events, workers } = await openTestProfiler({ dataDirectory });
  valueOf(await profiler.startRun({ model: 'demo', plan: plan() }));
  await events.tokens(8);
  const journals = join(dataDirectory, 'journal');
  const [name = ''] = readdirSync(journals);
  const whole = readFileSync(join(journals, name));
  workers.at(-1)?.kill();
  await events.ended();
  await profiler.close();
  const path = join(folder(), 'cut.jsonl');
  let held = 0;
  let records = 0;
  for (let length = 0; length <= whole.length; length++) {
    writeFileSync(path, whole.subarray(0, length));
    const run = await readJournal(path).then(
      (run) => ({ run }),
      () => undefined,
    );
    if (run !== undefined) held++;
    if (run?.run !== undefined) records++;
  }
  rows.push({
    fault: 'journal cut after every byte',
    times: whole.length + 1,
    held,
    note: `read without an error, ${records} with tokens in them`,
  });
});

test('stored files that are not what they were', async () => {
  const garbage = ['', '{', 'null', '[]', '"x"', '\0\0\0\0', '{"theme": 7, "files": "x", "tabs": {}, "folders": 1}'];
  let times = 0;
  let held = 0;
  for (const name of ['settings.json', 'recent.json', 'session.json', 'models.json']) {
    for (const text of garbage) {
      times++;
      const dataDirectory = folder();
      writeFileSync(join(dataDirectory, name), text);
      const { profiler, events } = await openTestProfiler({ dataDirectory });
      const opened = await profiler.openRecord({ by: 'sample' });
      await profiler.close();
      const aside = readdirSync(dataDirectory).find((other) => other.startsWith(`${name}.bad-`));
      const kept = aside !== undefined && readFileSync(join(dataDirectory, aside), 'utf8') === text;
      const told = events.of('notice').filter(({ message }) => message.startsWith(`${name} could not be read`));
      if (opened.ok && kept && told.length === 1 && isPlain(told[0]?.message)) held++;
    }
  }
  rows.push({ fault: 'stored file corrupt', times, held, note: 'started with defaults, said so, the file kept aside' });
});

test('disks and files that go away', async () => {
  rows.push(await diskFull(20), await readOnlyFolder(), await fileRemoved());
});

test('a model that is replaced during its run', async () => {
  rows.push(await modelReplaced(6));
});

test('no place for the journal', async () => {
  const dataDirectory = folder();
  const { profiler, events } = await openTestProfiler({ dataDirectory });
  rmSync(join(dataDirectory, 'journal'), { recursive: true });
  writeFileSync(join(dataDirectory, 'journal'), 'a file where the folder was');
  valueOf(await profiler.startRun({ model: 'demo', plan: plan() }));
  const { id, notice } = await events.ended();
  const told = events.of('notice').map(({ message }) => message);
  rmSync(join(dataDirectory, 'journal'));
  mkdirSync(join(dataDirectory, 'journal'));
  await profiler.close();
  const held = id !== null && notice === null && told.some((message) => message.includes('not kept safe')) ? 1 : 0;
  rows.push({ fault: 'journal folder gone during a run', times: 1, held, note: told[0] ?? 'nothing was said' });
});

test('a clock that goes back', async () => {
  let hours = 1000;
  const { profiler, events } = await openTestProfiler({
    dataDirectory: folder(),
    now: () => new Date(Date.UTC(2026, 0, 1) + hours-- * 3_600_000),
  });
  let held = 0;
  for (let index = 0; index < 5; index++) {
    const before = events.all.length;
    valueOf(await profiler.startRun({ model: 'demo', plan: plan() }));
    const { id } = await events.ended(before);
    if (id !== null && valueOf(await profiler.readRecord(id)).valid) held++;
  }
  await profiler.close();
  rows.push({
    fault: 'clock set back an hour before each run',
    times: 5,
    held,
    note: 'records valid: times come from a clock that only goes on',
  });
});

test('many runs in a row', async () => {
  const { profiler, events } = await openTestProfiler({ dataDirectory: folder(), forkWorker: () => forkNodeWorker() });
  const small = plan({ runs: [{ name: 'one', prompt: 'Hi', repeats: 1, max_new_tokens: 2 }] });
  const figures: { memory: number; handles: number }[] = [];
  let held = 0;
  for (let index = 0; index < 1000; index++) {
    events.all.length = 0;
    valueOf(await profiler.startRun({ model: 'demo', plan: small }));
    const { id } = await events.ended();
    if (id !== null) {
      held++;
      await profiler.closeRecord(id);
    }
    if (index % 100 !== 99) continue;
    globalThis.gc?.();
    figures.push({ memory: process.memoryUsage().heapUsed / 1e6, handles: process.getActiveResourcesInfo().length });
  }
  await profiler.close();
  const [first, last] = [figures[1], figures.at(-1)];
  rows.push({
    fault: 'runs in a row',
    times: 1000,
    held,
    note: `main heap ${first?.memory.toFixed(1)} MB after 200, ${last?.memory.toFixed(1)} MB after 1000; handles ${first?.handles} and ${last?.handles}`,
  });
});

test('a page loaded again and again during a run', async () => {
  const app = await startStandIn({ params: [SAMPLE_RECORD], app: ROOT, folder: folder(), env: {} });
  const result = await app.evaluate(async ({ BrowserWindow }, plan) => {
    while (BrowserWindow.getAllWindows().length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    const contents = BrowserWindow.getAllWindows()[0]?.webContents;
    if (contents === undefined) throw new Error('there is no window');
    const loaded = () => new Promise<void>((resolve) => contents.once('did-finish-load', () => resolve()));
    const idle = `new Promise((resolve) => { const look = () => document.querySelector('.top-bar') === null ? setTimeout(look, 10) : resolve(); look(); })`;
    await loaded();
    await contents.executeJavaScript(idle);
    await contents.executeJavaScript(`window.tokenscope.startRun({ model: 'demo', plan: ${plan} })`);
    let held = 0;
    let running = 0;
    for (let index = 0; index < 100; index++) {
      const again = loaded();
      contents.reload();
      await again;
      await contents.executeJavaScript(idle);
      const run = (await contents.executeJavaScript(
        `window.tokenscope.getState().then(({ run, tabs }) =>
          run !== null ? 'running' : tabs.some(({ name, valid }) => name.startsWith('test') && valid) ? 'ended' : 'lost')`,
      )) as string;
      if (run !== 'lost') held++;
      if (run === 'running') running++;
    }
    return { held, running };
  }, JSON.stringify(longPlan()));
  app.kill();
  await app.exited;
  rows.push({
    fault: 'page loaded again during a run',
    times: 100,
    held: result.held,
    note: `the run went on, ${result.running} times it was still going`,
  });
});

test('two instances at once', async () => {
  let held = 0;
  for (let index = 0; index < 5; index++) {
    const shared = folder();
    const start = () => startStandIn({ params: [], app: ROOT, folder: shared, env: {} }).catch(() => undefined);
    const started = (await Promise.all([start(), start()])).filter((app) => app !== undefined);
    if (started.length === 1) held++;
    for (const app of started) {
      app.kill();
      await app.exited;
    }
  }
  rows.push({ fault: 'two instances at the same moment', times: 5, held, note: 'one stays' });
});

test('random payloads on every channel', () => {
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', 'test/unit/main/ipc-fuzz.test.ts'],
    {
      cwd: ROOT,
      env: { ...process.env, FUZZ_PAYLOADS: '10000' },
      stdio: 'ignore',
    },
  );
  rows.push({
    fault: '10,000 random payloads on each channel',
    times: 1,
    held: status === 0 ? 1 : 0,
    note: 'each answered in words',
  });
});
