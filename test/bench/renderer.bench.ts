import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, test } from 'vitest';
import { AppUnderTest, settled } from '../browser/support/open-app.ts';
import { largeRecord } from '../browser/support/large-record.ts';

/** How the window keeps up, in headless Chromium without a GPU. Prints; asserts nothing. */

let app: AppUnderTest;

beforeAll(async () => {
  app = await AppUnderTest.start();
  app.server.provide('/tokens.json', JSON.stringify(largeRecord({ samples: 1, tokens: 100_000 })));
  app.server.provide('/samples.json', JSON.stringify(largeRecord({ samples: 50_000, tokens: 3 })));
});

afterAll(async () => {
  await app.stop();
});

test('size of the bundle', () => {
  const folder = join(app.server.folder, 'assets');
  const sizes = readdirSync(folder)
    .filter((name) => /\.(js|css)$/.test(name))
    .map((name) => gzipSync(readFileSync(join(folder, name))).length);
  console.log(`bundle, scripts and styles: ${Math.round(sizes.reduce((sum, size) => sum + size, 0) / 1000)} kB gzip`);
});

test.each(['tokens', 'samples'])('opening and panning: %s', async (name) => {
  const { page, close } = await app.open({ query: { sample: `/${name}.json` }, motion: true });
  const first = await page.evaluate(async () => {
    const start = performance.now();
    [...document.querySelectorAll('button')].find((button) => button.textContent === 'Open the sample')?.click();
    const frame = () => new Promise(requestAnimationFrame);
    while (document.querySelector('.lanes-canvas') === null) await frame();
    await frame();
    return performance.now() - start;
  });
  await settled(page);
  for (let step = 0; step < 4; step += 1) await page.keyboard.press('w');
  await settled(page);
  // One press in each frame, as a held key repeats faster than that.
  const panning = await frames(page, () =>
    page.evaluate(async () => {
      for (let step = 0; step < 180; step += 1) {
        window.dispatchEvent(new KeyboardEvent('keydown', { code: step % 60 < 30 ? 'KeyD' : 'KeyA' }));
        await new Promise(requestAnimationFrame);
      }
    }),
  );
  const lanes = (await page.locator('.lanes-canvas').boundingBox()) ?? { x: 400, y: 300 };
  await page.mouse.move(lanes.x + 300, lanes.y + 60);
  const wheeling = await frames(page, async () => {
    for (let step = 0; step < 90; step += 1) await page.mouse.wheel(step % 30 < 15 ? 120 : -120, 0);
  });
  const scrolling = await frames(page, async () => {
    for (let step = 0; step < 60; step += 1) await page.mouse.wheel(0, 300);
  });
  console.log(
    `${name}: first paint ${first.toFixed(0)} ms; p95 frame: keys ${panning}, wheel ${wheeling}, scrolling ${scrolling}`,
  );
  await close();
});

test('streaming 1,000 tokens/s for 30 s', async () => {
  const { page, close } = await app.open({ query: { stream: '1000x30', speed: '1' }, motion: true });
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press('r');
  await page.locator('.live-headline').waitFor();
  const streaming = await frames(page, async () => {
    await page.waitForTimeout(28_000);
  });
  const before = await page.evaluate(() => document.querySelector('.live-title p')?.textContent);
  await page.locator('.live-headline').waitFor({ state: 'detached' });
  await settled(page);
  const shown = await page.getByRole('listbox').getAttribute('aria-label');
  console.log(`streaming: p95 frame ${streaming}; at 28 s: ${before}; in the end: ${shown}`);
  await close();
});

/** The 95th percentile and the longest of the frames while something is done, and their number. */
async function frames(page: Page, during: () => Promise<void>): Promise<string> {
  await page.evaluate(() => {
    const times: number[] = [];
    const state = { times, on: true };
    Object.assign(window, { frameTimes: state });
    let last = performance.now();
    const step = (): void => {
      const now = performance.now();
      times.push(now - last);
      last = now;
      if (state.on) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
  await during();
  return page.evaluate(() => {
    const state = (window as unknown as { frameTimes: { times: number[]; on: boolean } }).frameTimes;
    state.on = false;
    const sorted = state.times.slice(1).sort((a, b) => a - b);
    const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? 0;
    return `${p95.toFixed(1)} ms of ${sorted.length} (longest ${(sorted.at(-1) ?? 0).toFixed(1)})`;
  });
}
