import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { version } from '../../package.json';
import { SAMPLE_RECORD } from '../../main/app-paths.ts';
import { exportRecord } from '../../main/cli/export.ts';
import type { Io } from '../../main/cli/io.ts';
import { report } from '../../main/cli/report.ts';
import { temporaryFolder } from '../support/profiler.ts';
import { settled } from './support/open-app.ts';
import { closeBrowser, openServedApp, type ServedApp } from './support/served-app.ts';

let app: ServedApp;
beforeEach(async () => {
  app = await openServedApp({ version });
  await app.page.getByRole('button', { name: 'Open the sample' }).click();
  await app.page.locator('.lanes-canvas').waitFor();
  await settled(app.page);
});
afterEach(() => app.close());
afterAll(closeBrowser);

const quiet: Io = { stdout: () => undefined, stderr: () => undefined, watched: false };

async function byCommand(format: 'png' | 'svg' | 'html', theme: 'light' | 'dark', scale = 2): Promise<Buffer> {
  const output = join(temporaryFolder(), `report.${format}`);
  await report(SAMPLE_RECORD, { output, theme, scale, force: false }, quiet);
  return readFileSync(output);
}

async function download(page: Page, button: string): Promise<{ name: string; content: Buffer }> {
  const waiting = page.waitForEvent('download');
  await page.getByRole('button', { name: button, exact: true }).click();
  const done = await waiting;
  return { name: done.suggestedFilename(), content: readFileSync(await done.path()) };
}

test.each(['light', 'dark'] as const)('the preview is the SVG that the command line draws, %s', async (theme) => {
  const { page, errors } = app;
  await page.keyboard.press('p');
  await page.getByRole('button', { name: theme === 'light' ? 'Light' : 'Dark', exact: true }).click();
  await page.locator('.report-sheet svg').waitFor();
  await settled(page);
  // Without its fonts: the page's policy allows no style of a file.
  const svg = (await byCommand('svg', theme)).toString('utf8').replace(/<style>[^<]*<\/style>/, '');
  const same = await page.evaluate((text) => {
    const written = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
    const told = (node: Element): unknown => [
      node.tagName,
      [...node.attributes].map(({ name, value }) => `${name}=${value}`).toSorted(),
      node.children.length === 0 ? node.textContent : [...node.children].map(told),
    ];
    const shown = document.querySelector('.report-sheet svg')!;
    return {
      same: JSON.stringify(told(shown)) === JSON.stringify(told(written)),
      shapes: shown.querySelectorAll('*').length,
    };
  }, svg);
  expect(same.same).toBe(true);
  expect(same.shapes).toBeGreaterThan(200);
  expect(errors).toEqual([]);
});

test('a picture that is downloaded has the bytes of the command line', async () => {
  const { page, errors } = app;
  await page.keyboard.press('Control+e');
  await page.getByRole('radio', { name: 'Dark' }).check();
  await page.getByLabel('Scale').fill('1');
  await settled(page);
  const expected = await byCommand('png', 'dark', 1);
  const { width, height } = PNG.sync.read(expected);
  const comma = (value: number) => value.toLocaleString('en-US');
  expect(await page.locator('.export-scale p').innerText()).toBe(`${comma(width)} × ${comma(height)} pixels`);
  const { name, content } = await download(page, 'Export PNG picture');
  expect(name).toMatch(/^sample-record.*\.png$/);
  expect(content.equals(expected)).toBe(true);
  await page.getByText(`Exported as ${name}.`).waitFor();
  expect(await page.locator('.export').count()).toBe(0);
  expect(errors).toEqual([]);
});

test('tables and the page come as the command line writes them, and the dialog remembers its choice', async () => {
  const { page } = app;
  await page.keyboard.press('Control+e');
  await page.getByRole('radio', { name: 'CSV, tokens' }).check();
  expect(await page.locator('.export-preview pre').innerText()).toContain('run,sample,index,token_id');
  const output = join(temporaryFolder(), 'tokens.csv');
  await exportRecord(SAMPLE_RECORD, { to: 'csv', output, force: false }, quiet);
  expect((await download(page, 'Export CSV, tokens')).content.equals(readFileSync(output))).toBe(true);

  await page.keyboard.press('Control+e');
  expect(await page.getByRole('radio', { name: 'CSV, tokens' }).isChecked()).toBe(true);
  await page.getByRole('radio', { name: 'HTML page' }).check();
  await page.getByRole('radio', { name: 'Light' }).check();
  const html = await download(page, 'Export HTML page');
  expect(html.content.equals(await byCommand('html', 'light'))).toBe(true);
});

test('a picture that is too large is refused in the dialog with its size and a remedy', async () => {
  const { page } = app;
  await page.keyboard.press('Control+e');
  await page.getByLabel('Scale').fill('16');
  await page.getByRole('button', { name: 'Export PNG picture' }).click();
  const refusal = page.locator('.export-refusal p');
  await refusal.waitFor();
  expect(await refusal.innerText()).toMatch(/19,200 x [\d,]+ pixels.*What to do: use a scale of at most/s);
  await page.getByLabel('Scale').fill('0');
  expect(await page.locator('.export-scale p').innerText()).toContain('a number from 0.1 to 16');
  expect(await page.getByRole('button', { name: 'Export PNG picture' }).isDisabled()).toBe(true);
});

test('the picture is put on the clipboard', async () => {
  const { page, context, errors } = app;
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.keyboard.press('p');
  await page.locator('.report-sheet svg').waitFor();
  await page.getByRole('button', { name: 'Copy image' }).click();
  await page.getByText('The report is on the clipboard.').waitFor();
  const copied = await page.evaluate(async () => {
    const [item] = await navigator.clipboard.read();
    const image = await createImageBitmap(await item!.getType('image/png'));
    return { width: image.width, height: image.height };
  });
  expect(copied.width).toBe(2400);
  expect(copied.height).toBeGreaterThan(2000);
  expect(errors).toEqual([]);
});

test('by keys alone: the dialog opens at the format, Enter exports, the focus returns', async () => {
  const { page } = app;
  await page.keyboard.press('p');
  await page.locator('.report-scroll').focus();
  await page.keyboard.press('Control+e');
  await settled(page);
  const focused = () => page.evaluate(() => document.activeElement?.closest('label')?.textContent ?? '');
  expect(await focused()).toContain('PNG picture');
  await page.keyboard.press('ArrowDown');
  expect(await focused()).toContain('SVG picture');
  const waiting = page.waitForEvent('download');
  await page.keyboard.press('Enter');
  expect((await waiting).suggestedFilename()).toMatch(/\.svg$/);
  await page.locator('.export').waitFor({ state: 'detached' });
  expect(await page.evaluate(() => document.activeElement?.className)).toBe('report-scroll');
});
