import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { count } from '../../shared/units.ts';
import { HeldWorkers, largeRecord } from '../support/large-records.ts';
import { temporaryFolder, valueOf } from '../support/profiler.ts';
import { dropFile } from './support/drop.ts';
import { settled } from './support/open-app.ts';
import { closeBrowser, openServedApp, type ServedApp } from './support/served-app.ts';

/** A record that another process reads, in the page that waits for it. */
const record = largeRecord();
let app: ServedApp;
afterEach(() => app.close());
afterAll(closeBrowser);

test('the window says what it opens, works meanwhile, and shows the record', async () => {
  const held = new HeldWorkers();
  app = await openServedApp({ forkRecordWorker: held.fork });
  const { page } = app;
  await dropFile(page, 'large.json', JSON.stringify(record));
  await page.getByRole('progressbar', { name: 'Opening large.json' }).waitFor();
  await page.getByRole('button', { name: 'Open the sample' }).click();
  await page.locator('.lanes-canvas').waitFor();
  await expect.poll(() => page.locator('.status-bar').innerText()).toContain('Opening large.json');
  held.release();
  await page.getByRole('progressbar', { name: 'Opening large.json' }).waitFor({ state: 'detached' });
  await expect.poll(() => page.locator('.table-scroll tbody tr').allInnerTexts()).toHaveLength(1);
  await settled(page);
  expect(await page.locator('.table-scroll tbody tr').innerText()).toContain(
    count(record.runs[0]?.samples.length ?? 0),
  );
  expect(app.errors).toEqual([]);
});

test('several large answers at once each have their own bytes, while small ones come between them', async () => {
  app = await openServedApp();
  const { page, profiler } = app;
  const folder = temporaryFolder();
  for (const name of ['one', 'two']) {
    const path = join(folder, `${name}.json`);
    writeFileSync(path, JSON.stringify({ ...record, runs: [{ ...record.runs[0], name }] }));
    valueOf(await profiler.openRecord({ by: 'path', path }));
  }
  valueOf(await profiler.openRecord({ by: 'sample' }));
  // Each is asked for before the one before it has come.
  await page.evaluate(() => {
    for (const tab of document.querySelectorAll<HTMLElement>('.tab button:first-child')) tab.click();
  });
  for (const name of ['one', 'two']) {
    await page
      .locator('.tab', { hasText: `${name}.json` })
      .locator('button')
      .first()
      .click();
    const shown = () => page.locator('.table-scroll tbody tr').allInnerTexts();
    await expect.poll(shown).toEqual([expect.stringMatching(new RegExp(`^${name}\\b`))]);
  }
  expect(app.errors).toEqual([]);
});
