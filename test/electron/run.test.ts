import { beforeAll, expect, test } from 'vitest';
import type { AppState } from '../../shared/host.ts';
import { planSchema } from '../../shared/plan.ts';
import { longPlan } from '../support/profiler.ts';
import { type Driver } from './support/driver.ts';
import { stateOf } from './support/state.ts';
import { openApp, settled } from './support/open-app.ts';

let app: Driver;
beforeAll(async () => {
  app = await openApp();
  await app.evaluate(({ utilityProcess }) => {
    const { fork } = utilityProcess;
    utilityProcess.fork = (...params) => {
      const child = fork(...params);
      Object.assign(globalThis, { forked: child });
      return child;
    };
  });
});

/** The worker of the app, by the system's number; undefined if none is running. */
function workerPid(): Promise<number | undefined> {
  return app.evaluate(() => {
    const { forked } = globalThis as { forked?: Electron.UtilityProcess };
    return forked?.pid;
  });
}

/** Starts a run that ends long after the test, and waits for its first tokens. */
async function startLongRun(): Promise<void> {
  const { models } = await stateOf(app.page);
  const request = { model: models[0]?.id ?? '', plan: planSchema.parse(longPlan()) };
  expect(await app.page.evaluate((request) => window.tokenscope?.startRun(request), request)).toMatchObject({
    ok: true,
  });
  await expect
    .poll(async () => (await stateOf(app.page)).run, { timeout: 20_000 })
    .toSatisfy((run: AppState['run']) => (run?.step?.index ?? 0) > 1, 'a run of which a sample is measured');
}
const idle = () => expect.poll(async () => (await stateOf(app.page)).run, { timeout: 20_000 }).toBeNull();

test('the model is in no process before a person asks for it, and then in one of its own', async () => {
  const natives = () =>
    app.evaluate(() => {
      const { sharedObjects } = process.report.getReport() as unknown as { sharedObjects: string[] };
      return sharedObjects.filter((path) => path.includes('node_modules')).map((path) => path.split('/').at(-1));
    });
  expect(await natives()).toEqual([]);
  expect(await workerPid()).toBeUndefined();
  await app.page.getByRole('button', { name: /^Run/ }).first().click();
  // The standard suite, to its end.
  await expect.poll(async () => (await stateOf(app.page)).tabs.length, { timeout: 60_000 }).toBe(1);
  await idle();
  expect(await natives()).toEqual([]);
  expect(await workerPid()).toBeGreaterThan(0);
  const [tab] = (await stateOf(app.page)).tabs;
  expect(tab).toMatchObject({ valid: true, unsaved: true });
  const record = await app.page.evaluate((id) => window.tokenscope?.readRecord(id), tab?.id ?? '');
  expect(record).toMatchObject({ ok: true, value: { valid: true, record: { status: 'complete' } } });
  await settled(app);
  await app.page.locator('tbody tr').first().waitFor();
});

test('a run that is stopped keeps what it has measured', async () => {
  await startLongRun();
  await app.page.getByRole('button', { name: 'Stop', exact: true }).click();
  await idle();
  const { tabs } = await stateOf(app.page);
  const record = await app.page.evaluate((id) => window.tokenscope?.readRecord(id), tabs.at(-1)?.id ?? '');
  expect(record).toMatchObject({ ok: true, value: { record: { status: 'cancelled' } } });
});

test('a worker that is killed costs its run and nothing else: the next one has a new worker', async () => {
  await startLongRun();
  const first = await workerPid();
  if (first === undefined) throw new Error('there is no worker');
  process.kill(first, 'SIGKILL');
  await idle();
  const { tabs } = await stateOf(app.page);
  const record = await app.page.evaluate((id) => window.tokenscope?.readRecord(id), tabs.at(-1)?.id ?? '');
  expect(record).toMatchObject({ ok: true, value: { valid: true, record: { status: 'failed' } } });
  await app.page
    .getByText(/broke off/)
    .first()
    .waitFor();
  await startLongRun();
  const second = await workerPid();
  expect(second).toBeGreaterThan(0);
  expect(second).not.toBe(first);
  await app.page.evaluate(() => window.tokenscope?.cancelRun());
  await idle();
});
