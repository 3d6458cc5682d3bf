import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SAMPLE_RECORD } from '../../main/app-paths.ts';
import { planSchema } from '../../shared/plan.ts';
import { longPlan, plan } from '../support/profiler.ts';
import { type Driver } from './support/driver.ts';
import { stateOf } from './support/state.ts';
import { openApp, testFolder } from './support/open-app.ts';

/** Has the question of a quitting app answered: 0 is "Quit". */
async function answerQuestion(app: Driver, choice: number): Promise<void> {
  await app.evaluate(({ dialog }, choice) => {
    const questions: string[] = [];
    Object.assign(globalThis, { questions });
    dialog.showMessageBoxSync = (...params: unknown[]) => {
      const { message, detail } = params.at(-1) as Electron.MessageBoxSyncOptions;
      questions.push(`${message} ${detail}`);
      return choice;
    };
  }, choice);
}
const questions = (app: Driver) => app.evaluate(() => Reflect.get(globalThis, 'questions') as string[]);
const quit = (app: Driver) => app.evaluate(({ app }) => app.quit()).catch(() => undefined);

/** What the page answers, asked by the main process: it outlives the page's process. */
function inPage<T>(app: Driver, code: string): Promise<T> {
  return app.evaluate(
    ({ BrowserWindow }, code) => BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript(code) as Promise<T>,
    code,
  );
}

test('quitting asks while a run is going on, and keeps what was measured; the window opens where it was', async () => {
  const folder = testFolder();
  const app = await openApp({ folder, params: [SAMPLE_RECORD] });
  const { models } = await stateOf(app.page);
  const request = { model: models[0]?.id ?? '', plan: planSchema.parse(longPlan()) };
  await app.page.evaluate((request) => window.tokenscope?.startRun(request), request);
  await expect
    .poll(async () => (await stateOf(app.page)).run?.step?.index ?? 0, { timeout: 20_000 })
    .toBeGreaterThan(1);

  await answerQuestion(app, 1);
  await quit(app);
  await expect.poll(() => questions(app)).toEqual([expect.stringContaining('A run is going on: test')]);
  expect((await stateOf(app.page)).run).not.toBeNull();
  // Asked again when the window is closed.
  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
  await expect.poll(async () => (await questions(app)).length).toBe(2);

  await app.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()[0]?.setBounds({ x: 300, y: 120, width: 1000, height: 700 }),
  );
  await answerQuestion(app, 0);
  await quit(app);
  expect(await app.exited).toBe(0);

  const again = await openApp({ folder });
  const bounds = await again.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getNormalBounds());
  expect(bounds).toMatchObject({ x: 300, y: 120, width: 1000, height: 700 });
  const { tabs } = await stateOf(again.page);
  expect(tabs).toMatchObject([{ name: 'live-run.json' }, { unsaved: true, valid: true }]);
  const record = await again.page.evaluate((id) => window.tokenscope?.readRecord(id), tabs[1]?.id ?? '');
  expect(record).toMatchObject({ ok: true, value: { record: { status: 'cancelled' } } });

  await answerQuestion(again, 0);
  await again.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close()).catch(() => undefined);
  expect(await again.exited).toBe(0);
});

test('quitting names the records that could not be kept, and tries again first', async () => {
  const folder = testFolder();
  const app = await openApp({ folder });
  const records = join(folder, 'data', 'records');
  rmSync(records, { recursive: true });
  writeFileSync(records, 'in the way');
  const { models } = await stateOf(app.page);
  await app.page.evaluate((request) => window.tokenscope?.startRun(request), {
    model: models[0]?.id ?? '',
    plan: plan(),
  });
  await expect.poll(async () => (await stateOf(app.page)).tabs.length, { timeout: 20_000 }).toBe(1);
  await answerQuestion(app, 1);
  await quit(app);
  await expect
    .poll(() => questions(app))
    .toEqual([expect.stringContaining('One could not be kept on the disk either and will be lost.')]);

  rmSync(records);
  mkdirSync(records);
  await quit(app);
  await expect
    .poll(async () => (await questions(app))[1])
    .toContain('What was measured is kept and will be open again the next time.');
  expect(readdirSync(records)).toHaveLength(1);
});

describe('a page whose process ends', () => {
  test('is loaded again, is told so, and goes on with the run', async () => {
    const app = await openApp();
    const { models } = await stateOf(app.page);
    const request = { model: models[0]?.id ?? '', plan: planSchema.parse(longPlan()) };
    await app.page.evaluate((request) => window.tokenscope?.startRun(request), request);
    await expect.poll(async () => (await stateOf(app.page)).run?.phase, { timeout: 20_000 }).toBe('running');
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer());
    await expect
      .poll(() => inPage<string>(app, 'document.querySelector("[aria-live]")?.textContent ?? ""'), { timeout: 20_000 })
      .toContain('was started again');
    // Its run goes on in front of the person: the live view grows.
    const shown = () => inPage<string>(app, 'document.querySelector(".live-headline")?.textContent ?? ""');
    const before = await shown();
    await expect.poll(shown, { timeout: 20_000 }).not.toBe(before);
    expect(await inPage(app, 'window.tokenscope.getState().then(({ run }) => run.phase)')).toBe('running');
  });

  test('again and again is not loaded for ever: the app says so and ends', async () => {
    const app = await openApp();
    await app.evaluate(({ dialog }) => {
      dialog.showErrorBox = () => undefined;
    });
    await app.evaluate(({ BrowserWindow }) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents;
      contents?.on('did-finish-load', () => contents.forcefullyCrashRenderer());
      contents?.forcefullyCrashRenderer();
    });
    expect(await app.exited).toBe(0);
  });
});

test('a page that is kept where it is goes on hearing of what happens', async () => {
  const app = await openApp();
  await inPage(app, 'location.assign("https://example.com/")');
  await app.evaluate(
    ({ app }, path) => app.emit('open-file', { preventDefault: () => undefined }, path),
    SAMPLE_RECORD,
  );
  await expect
    .poll(() => inPage<string>(app, 'document.querySelector(".tabs")?.textContent ?? ""'))
    .toContain('live-run.json');
});
