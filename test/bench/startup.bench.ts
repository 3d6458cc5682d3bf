import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'vitest';
import { SAMPLE_RECORD } from '../../main/app-paths.ts';
import { median } from '../../shared/statistics.ts';
import { ROOT } from '../electron/support/app-copy.ts';
import { startStandIn } from '../electron/support/stand-in-driver.ts';

/** How often; the first start of all fills caches and is not counted. */
const STARTS = 5;

/** Milliseconds from the start of the process to each of these, in order. */
interface Start {
  /** Node runs and has the stand-in. */
  start: number;
  /** The main module is evaluated. */
  evaluated: number;
  /** The browser is there as well: the app is ready. */
  ready: number;
  /** The page begins to load. */
  page: number;
  /** The first thing that a person can read or press is painted. */
  paint: number;
}
const STEPS = ['start', 'evaluated', 'ready', 'page', 'paint'] as const;

test('from the start to the first useful paint, on the stand-in', async () => {
  for (const [name, params] of [
    ['start page', []],
    ['a record', [SAMPLE_RECORD]],
  ] as const) {
    await startOnce([...params]);
    const starts: Start[] = [];
    for (let index = 0; index < STARTS; index++) starts.push(await startOnce([...params]));
    const of = (step: keyof Start) => Math.round(median(starts.map((start) => start[step])));
    const all = starts.map(({ paint }) => Math.round(paint)).join(', ');
    console.log(`${name}: first useful paint after ${of('paint')} ms, median of ${all}`);
    console.log(`  ${STEPS.map((step) => `${step} ${of(step)} ms`).join(', ')}`);
  }
});

async function startOnce(params: string[]): Promise<Start> {
  const folder = mkdtempSync(join(tmpdir(), 'tokenscope-start-'));
  const began = Date.now();
  const app = await startStandIn({ params, app: ROOT, folder, env: {} });
  const times = await app.evaluate(async ({ BrowserWindow }) => {
    while (BrowserWindow.getAllWindows().length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    const contents = BrowserWindow.getAllWindows()[0]?.webContents;
    if (contents === undefined) throw new Error('there is no window');
    while (contents.getURL() === '') await new Promise((resolve) => setTimeout(resolve, 20));
    const marks = performance
      .getEntriesByType('mark')
      .map(({ name, startTime }) => [name, performance.timeOrigin + startTime]);
    const page = (await contents.executeJavaScript(`(async () => {
      const frame = () => new Promise((resolve, reject) => {
        if (performance.now() > 20000) reject(new Error('nothing was painted in 20 s'));
        requestAnimationFrame(resolve);
      });
      while (document.querySelector('.top-bar') === null) await frame();
      const paint = () => performance.getEntriesByName('first-contentful-paint')[0];
      while (paint() === undefined) await frame();
      return { page: performance.timeOrigin, paint: performance.timeOrigin + paint().startTime };
    })()`)) as { page: number; paint: number };
    return { ...(Object.fromEntries(marks) as { start: number; evaluated: number; ready: number }), ...page };
  });
  app.kill();
  await app.exited;
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  const { start, evaluated, ready, page, paint } = times;
  return {
    start: start - began,
    evaluated: evaluated - began,
    ready: ready - began,
    page: page - began,
    paint: paint - began,
  };
}
