import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SAMPLE_RECORD } from '../../main/app-paths.ts';
import type { TraceRecord } from '../../shared/record.ts';
import { STANDARD_SUITE } from '../../shared/standard-suite.ts';
import { msValue } from '../../shared/units.ts';
import { longPlan, openedOf, valueOf } from '../support/profiler.ts';
import { dropFile } from './support/drop.ts';
import { settled } from './support/open-app.ts';
import { closeBrowser, openServedApp, type ServedApp } from './support/served-app.ts';

let app: ServedApp;
beforeEach(async () => {
  app = await openServedApp();
});
afterEach(() => app.close());
afterAll(closeBrowser);

async function table(page: Page): Promise<string[]> {
  await page.locator('.table-scroll tbody tr').first().waitFor();
  await settled(page);
  return page.locator('.table-scroll tbody tr').allInnerTexts();
}

async function recordOf(id: string | null): Promise<TraceRecord> {
  const content = openedOf(await app.profiler.readRecord(id ?? ''));
  if (!content.valid) throw new Error('the record was refused');
  return content.record;
}

/** Each row holds the run's name and its median TTFT, as the record has it. */
function expectFigures(rows: string[], record: TraceRecord): void {
  expect(rows).toHaveLength(record.runs.length);
  for (const [index, { name, median_ttft_ms }] of record.runs.entries()) {
    expect(rows[index]).toContain(name);
    expect(rows[index]).toContain(msValue(median_ttft_ms));
  }
}

/** A run that is still going on, in the window. */
async function startLongRun(): Promise<void> {
  valueOf(await app.profiler.startRun({ model: 'demo', plan: longPlan() }));
  await app.events.tokens();
  await app.page.locator('.live-headline').waitFor();
}

const tokensShown = async (): Promise<number> =>
  Number(
    (await app.page.locator('.live-headline').innerText()).match(/([\d,]+) tokens? so far/)?.[1]?.replaceAll(',', ''),
  );

test('from the first start to the finished standard suite', async () => {
  const { page, events, errors } = app;
  await page.locator('.home').getByRole('button', { name: 'Run suite' }).click();
  const { id, notice } = await events.ended();
  expect(notice).toBeNull();
  const record = await recordOf(id);
  expect(record.runs.map(({ name }) => name)).toEqual(STANDARD_SUITE.runs.map(({ name }) => name));
  expectFigures(await table(page), record);
  expect(await page.locator('.tab.active').innerText()).toContain('not saved');
  expect(errors).toEqual([]);
});

describe('a file that is dropped', () => {
  test('opens with the figures that it holds', async () => {
    const text = readFileSync(SAMPLE_RECORD, 'utf8');
    await dropFile(app.page, 'mine.json', text);
    expectFigures(await table(app.page), JSON.parse(text) as TraceRecord);
    expect(app.profiler.getState().tabs).toMatchObject([{ name: 'mine.json', unsaved: false, valid: true }]);
    expect(app.errors).toEqual([]);
  });

  test('and cannot be true lists what is wrong, and what can be read', async () => {
    const record = JSON.parse(readFileSync(SAMPLE_RECORD, 'utf8')) as TraceRecord;
    record.runs[1]!.samples[2]!.itl_ms.pop();
    await dropFile(app.page, 'bad.json', JSON.stringify(record));
    const verdict = app.page.getByRole('alert');
    await verdict.waitFor();
    expect(await verdict.innerText()).toContain('runs[1].samples[2]');
    expect(await verdict.innerText()).toContain('Missing token intervals');
    expect(await app.page.locator('.record-view').innerText()).toContain(record.model.id);
  });

  test.each([
    ['nothing', ''],
    ['HTML', '<img src=x onerror="document.title=1">'],
    ['a name with markup in it', JSON.stringify({ runs: [{ name: '<b id="injected">x</b>', samples: [] }] })],
  ])('and holds %s is refused in words, and nothing of it runs', async (_, text) => {
    await dropFile(app.page, 'odd.json', text);
    await app.page.getByRole('alert').first().waitFor();
    expect(await app.page.locator('#injected').count()).toBe(0);
    expect(await app.page.title()).not.toBe('1');
    expect(app.errors).toEqual([]);
  });
});

describe('a run', () => {
  test('that is stopped ends at the next token and keeps the partial sample', async () => {
    await startLongRun();
    await app.page.locator('.live-headline').getByRole('button', { name: 'Stop' }).click();
    const record = await recordOf((await app.events.ended()).id);
    expect(record.status).toBe('cancelled');
    expectFigures(await table(app.page), record);
    expect(app.errors).toEqual([]);
  });

  test('whose process is killed says so, keeps what arrived, and the next one works', async () => {
    await startLongRun();
    process.kill(app.workers[0]!.pid!, 'SIGKILL');
    const { id, notice } = await app.events.ended();
    await app.page.getByRole('alert').filter({ hasText: 'SIGKILL' }).waitFor();
    expect(notice).toContain('SIGKILL');
    expectFigures(await table(app.page), await recordOf(id));

    const after = app.events.all.length;
    await app.page.locator('.run-buttons').getByRole('button', { name: 'Run suite' }).click();
    expect((await app.events.ended(after)).notice).toBeNull();
    expect(app.errors).toEqual([]);
  });

  test('goes on while the window is loaded again, which then has all of it', async () => {
    await startLongRun();
    await app.events.tokens(500);
    await app.page.reload();
    await app.page.locator('.live-headline').waitFor();
    await settled(app.page);
    expect(await tokensShown()).toBeGreaterThanOrEqual(500);
    await app.page.keyboard.press('Escape');
    const record = await recordOf((await app.events.ended()).id);
    expectFigures(await table(app.page), record);
    expect(app.errors).toEqual([]);
  });

  test('goes on while the connection is lost, and the window catches up by itself', async () => {
    await app.page.addInitScript(() => {
      const opened: WebSocket[] = [];
      Object.assign(window, {
        dropConnections: () => opened.splice(0).forEach((socket) => socket.close()),
        WebSocket: class extends WebSocket {
          constructor(url: string) {
            super(url);
            opened.push(this);
          }
        },
      });
    });
    await app.page.reload();
    await settled(app.page);
    await startLongRun();
    await app.page.evaluate(() => (window as unknown as { dropConnections(): void }).dropConnections());
    await app.page.getByText('The connection to Tokenscope is back.').waitFor();
    await app.page.locator('.live-headline').getByRole('button', { name: 'Stop' }).click();
    const record = await recordOf((await app.events.ended()).id);
    expectFigures(await table(app.page), record);
    expect(app.errors).toEqual([]);
  });
});

test('a record that is saved as a download and opened again has the same figures', async () => {
  const { page, profiler } = app;
  await page.locator('.home').getByRole('button', { name: 'Run suite' }).click();
  const { id } = await app.events.ended();
  const before = await table(page);
  const download = page.waitForEvent('download');
  await page.keyboard.press('Control+s');
  const saved = await download;
  expect(saved.suggestedFilename()).toMatch(/^standard-suite-demo-model-\d{8}-\d{4}\.json$/);
  const text = readFileSync(await saved.path(), 'utf8');
  expect(JSON.parse(text)).toEqual(await recordOf(id));
  await page.getByText('Saved.').waitFor();
  expect(profiler.getState().tabs).toMatchObject([{ id, name: saved.suggestedFilename(), unsaved: false }]);

  await page.getByRole('button', { name: `Close ${saved.suggestedFilename()}` }).click();
  await page.locator('.home').waitFor();
  await dropFile(page, 'again.json', text);
  expect(await table(page)).toEqual(before);
  expect(app.errors).toEqual([]);
});

test('an address that is no longer valid says so', async () => {
  await app.page.goto('about:blank');
  await app.page.goto(app.server.url.replace(/token=.*/, 'token=old'));
  await app.page.getByText('This address is no longer valid').first().waitFor();
});
