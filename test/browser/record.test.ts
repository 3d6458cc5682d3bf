import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dropFile } from './support/drop.ts';
import { AppUnderTest, openSample, settled } from './support/open-app.ts';
import { ODD_TOKENS, refusedRecord, richRecord, shippedRecord } from './support/records.ts';

let app: AppUnderTest;

beforeAll(async () => {
  app = await AppUnderTest.start();
  app.server.provide('/rich.json', JSON.stringify(richRecord()));
  app.server.provide('/refused.json', JSON.stringify(refusedRecord()));
});

afterAll(async () => {
  await app.stop();
});

/** What the table shows in a column, by run. */
async function column(page: Page, id: string): Promise<Record<string, string>> {
  return page.evaluate((id) => {
    const rows = [...document.querySelectorAll('.dock-table tbody tr')];
    return Object.fromEntries(
      rows.map((row) => [
        row.querySelector('th')?.textContent ?? '',
        row.querySelector(`[data-column=${id}] span`)?.textContent ?? '',
      ]),
    );
  }, id);
}

test('the table shows the medians of the reference summary', async () => {
  const { page, errors, close } = await app.open();
  await openSample(page);
  expect(await column(page, 'ttft')).toEqual({
    short_cached: '36.4',
    long_cached: '86.3',
    short_without_cache: '38.3',
    long_chunked: '192.0',
    cancelled: '34.3',
  });
  expect(await column(page, 'tpot')).toEqual({
    short_cached: '24.1',
    long_cached: '25.3',
    short_without_cache: '39.6',
    long_chunked: '28.2',
    cancelled: '22.4',
  });
  expect(await column(page, 'n')).toMatchObject({ short_cached: '3', cancelled: '3' });
  expect(errors).toEqual([]);
  await close();
});

test('copies the exact medians as CSV', async () => {
  const { page, close } = await app.open();
  await openSample(page);
  await page.getByRole('button', { name: 'Copy as CSV' }).click();
  await settled(page);
  const csv = await page.evaluate(() => navigator.clipboard.readText());
  const [header, ...rows] = csv
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  const at = (name: string): number => header!.indexOf(name);
  const medians = Object.fromEntries(
    rows.map((row) => [row[0]!, [Number(row[at('ttft_ms_median')]), Number(row[at('tpot_ms_median')])]]),
  );
  expect(medians).toEqual({
    short_cached: [36.399, 24.093],
    long_cached: [86.29, 25.288],
    short_without_cache: [38.318, 39.635],
    long_chunked: [192.01, 28.243],
    cancelled: [34.266, 22.446],
  });
  await close();
});

test('says in one sentence whether it was the wait or the pace', async () => {
  const { page, close } = await app.open();
  await openSample(page);
  const headline = page.locator('.headline h1');
  expect(await headline.textContent()).toBe(
    'short_cached waited 36.4 ms for its first token, then took 24.1 ms for each of the next.',
  );
  await page.getByRole('button', { name: 'long_chunked', exact: true }).last().click();
  await settled(page);
  expect(await headline.textContent()).toContain('long_chunked waited 192 ms');
  await close();
});

test('sorts by a column, and back to the order of the record', async () => {
  const { page, close } = await app.open();
  await openSample(page);
  const names = async () => Object.keys(await column(page, 'n'));
  const recorded = await names();
  const header = page.getByRole('button', { name: 'TPOT ms' });
  await header.click();
  expect(await names()).toEqual(['cancelled', 'short_cached', 'long_cached', 'long_chunked', 'short_without_cache']);
  await header.click();
  expect((await names())[0]).toBe('short_without_cache');
  await header.click();
  expect(await names()).toEqual(recorded);
  await close();
});

test('a refused record lists path, reason and figures, and shows what can be read', async () => {
  const { page, close } = await app.open({ query: { sample: '/refused.json' } });
  await openSample(page);
  const text = await page.locator('.record-view').textContent();
  expect(text).toContain('runs[2].samples[0].itl_ms[3]');
  expect(text).toContain('Timing values must be finite and nonnegative: found -5');
  expect(text).toContain('Missing token intervals: 23 intervals expected for 24 tokens, 22 found');
  expect(text).toContain('Intervals do not account for end-to-end timing');
  expect(text).toContain('Qwen/Qwen2.5-0.5B-Instruct');
  expect(await page.locator('canvas').count()).toBe(0);
  await close();
});

test('a dropped file that is no record opens with the reason', async () => {
  const { page, errors, close } = await app.open();
  await dropFile(page, 'noise.bin', [0, 255, 254, 1, 2, 3]);
  await page.getByRole('heading', { name: 'This record was refused' }).waitFor();
  expect(await page.locator('.record-view').textContent()).toContain('the whole file');
  expect(errors).toEqual([]);
  await close();
});

test('a dropped record opens as a tab of its own', async () => {
  const { page, close } = await app.open();
  const text = readFileSync(join(import.meta.dirname, '../../records/live-run.json'), 'utf8');
  await dropFile(page, 'dropped.json', text);
  await page.locator('.lanes-canvas').waitFor();
  expect(await page.locator('.tab.active').textContent()).toContain('dropped.json');
  await close();
});

test('texts of a record are text: no markup, marks for what cannot be seen', async () => {
  const record = shippedRecord();
  record.runs[0]!.name = '<b>bold</b> \u202Ereversed';
  for (const sample of record.runs[0]!.samples) {
    sample.prompt = `${'a long prompt \n🙂 שלום '.repeat(1000)}<script>window.hacked = 1</script>`;
    sample.token_texts = sample.generated_token_ids.map((_, index) => ODD_TOKENS[index % ODD_TOKENS.length]!);
  }
  app.server.provide('/odd.json', JSON.stringify(record));
  const { page, errors, close } = await app.open({ query: { sample: '/odd.json' } });
  await openSample(page);
  const strip = page.locator('.strip');
  expect(await strip.textContent()).toContain('<img src=x onerror=alert(1)>');
  expect(await strip.textContent()).toContain('⏎');
  expect(await strip.textContent()).not.toContain('\u202E');
  await page.keyboard.press('i');
  await settled(page);
  expect(await page.locator('img, .record-view script, b').count()).toBe(0);
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
  expect(errors).toEqual([]);
  await close();
});
