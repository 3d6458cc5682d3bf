import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compareRecords } from '../../shared/compare-records.ts';
import type { TraceRecord } from '../../shared/record.ts';
import { msValue, rateValue } from '../../shared/units.ts';
import { madeUpRecord, madeUpSample } from '../support/report-records.ts';
import { dropFile } from './support/drop.ts';
import { AppUnderTest, openSample, settled } from './support/open-app.ts';
import { refusedRecord, richRecord } from './support/records.ts';

let app: AppUnderTest;
beforeAll(async () => {
  app = await AppUnderTest.start();
  app.server.provide('/rich.json', JSON.stringify(richRecord()));
  app.server.provide('/shift.json', JSON.stringify(ofPace(20)));
  app.server.provide('/large.json', JSON.stringify(ofManyTokens(20)));
});
afterAll(() => app.stop());

/** Thirty samples of one run. */
function ofPace(pace: number, more: Partial<TraceRecord> = {}): TraceRecord {
  const samples = Array.from({ length: 30 }, (_, seed) =>
    madeUpSample({ tokens: 24, pace, ttft: 2 * pace, seed: seed + pace }),
  );
  return madeUpRecord([{ name: 'short', samples }], more);
}

function ofManyTokens(pace: number): TraceRecord {
  const samples = Array.from({ length: 10 }, (_, seed) => madeUpSample({ tokens: 5000, pace, seed: seed + pace }));
  return madeUpRecord([{ name: 'large', samples }]);
}

async function openCompare(sample: string) {
  const opened = await app.open({ query: { sample } });
  await openSample(opened.page);
  await opened.page.keyboard.press('v');
  await settled(opened.page);
  return opened;
}

const chosen = (page: Page, letter: 'A' | 'B') =>
  Promise.all(
    ['Record', 'Run'].map((what) => page.getByLabel(`${what} of ${letter}`).locator('option:checked').innerText()),
  );

test('one record: the same prompt with and without a cache, the output first, then whether it may be compared', async () => {
  const { page, errors, close } = await openCompare('/rich.json');
  expect(await chosen(page, 'A')).toEqual(['rich.json', 'short_cached']);
  expect(await chosen(page, 'B')).toEqual(['rich.json', 'short_without_cache']);
  const cards = await page.locator('.compare-body h2').allInnerTexts();
  expect(cards.slice(0, 3)).toEqual(['Did both write the same?', 'May they be compared?', 'Figures']);
  expect(await page.locator('#output-words').innerText()).toContain('Same greedy output: all 24 tokens agree.');
  expect(await page.locator('#standing').innerText()).toContain('They may be compared');
  expect(await page.locator('.differences tbody tr').allInnerTexts()).toEqual([
    expect.stringMatching(/KV cache.*◆ changes the question/s),
  ]);
  const rows = await page.locator('.metrics tbody tr').allInnerTexts();
  expect(rows).toHaveLength(6);
  for (const row of rows)
    expect(row).toMatch(/too few samples it takes (about [\d,]+|at least 5|more than 10,000) samples each/);
  expect(await page.locator('.forest').count()).toBe(6);
  expect(errors).toEqual([]);
  await close();
});

test('two records: the runs of one name, a shift of 10% found, and swapping mirrors it', async () => {
  const { page, errors, close } = await openCompare('/shift.json');
  const slower = ofPace(22);
  await dropFile(page, 'slower.json', JSON.stringify(slower));
  await page.locator('.metrics').waitFor();
  await settled(page);
  expect(await chosen(page, 'A')).toEqual(['shift.json', 'short']);
  expect(await chosen(page, 'B')).toEqual(['slower.json', 'short']);
  const [comparison] = compareRecords(ofPace(20), slower).comparisons;
  const tpot = comparison!.metrics.find(({ metric }) => metric === 'tpot_ms')!;
  const row = page.locator('.metrics tbody tr').nth(1);
  expect(await row.innerText()).toContain('B is slower');
  expect(await row.innerText()).toContain(`+${msValue(tpot.interval!.low)} to +${msValue(tpot.interval!.high)}`);
  const before = await row
    .locator('.forest line')
    .nth(1)
    .evaluate((line) => Number(line.getAttribute('x1')));
  expect(before).toBeGreaterThan(90);

  await page.keyboard.press('x');
  await page.getByText('B is faster').first().waitFor();
  await settled(page);
  expect(await chosen(page, 'A')).toEqual(['slower.json', 'short']);
  const mirrored = (await row.innerText()).replaceAll('−', '-');
  expect(mirrored).toContain(`-${msValue(tpot.interval!.high)} to -${msValue(tpot.interval!.low)}`);
  expect(errors).toEqual([]);
  await close();
});

test('a record against itself cannot be told apart, around 0', async () => {
  const { page, close } = await openCompare('/shift.json');
  await dropFile(page, 'again.json', JSON.stringify(ofPace(20)));
  await page.locator('.metrics').waitFor();
  await settled(page);
  const verdicts = await page.locator('.metrics tbody tr td:last-child').allInnerTexts();
  expect(verdicts).toEqual(Array.from({ length: 6 }, () => 'not distinguishable'));
  await close();
});

describe('of many tokens', () => {
  /** Resampling takes some seconds. */
  async function openLarge() {
    const opened = await app.open({ query: { sample: '/large.json' } });
    await openSample(opened.page);
    await dropFile(opened.page, 'slower.json', JSON.stringify(ofManyTokens(24)));
    await settled(opened.page);
    return opened;
  }

  test('a comparison says that it is being made, gives way to another one, and has the figures of the command line', async () => {
    const { page, errors, close } = await openLarge();
    // The window goes on meanwhile: both pairs are shown as waiting while the first one is still being made.
    const waiting = await page.evaluate(async () => {
      const press = (code: string) => window.dispatchEvent(new KeyboardEvent('keydown', { code }));
      const shown = async (first: string) => {
        const select = () => document.querySelector<HTMLSelectElement>('.pair-picker select');
        while (select()?.selectedOptions[0]?.textContent !== first) await new Promise(requestAnimationFrame);
        return document.querySelector('.compare-message[role=status] h2')?.textContent;
      };
      press('KeyV');
      const before = await shown('large.json');
      press('KeyX');
      return [before, await shown('slower.json')];
    });
    expect(waiting).toEqual(['Computing the 95% intervals', 'Computing the 95% intervals']);
    await page.locator('.metrics').waitFor();
    await settled(page);
    // The thread of the first pair was ended, that of the second waits for more.
    const [thread] = page.workers();
    expect(page.workers()).toHaveLength(1);
    const [comparison] = compareRecords(ofManyTokens(24), ofManyTokens(20)).comparisons;
    const rows = await page.locator('.metrics tbody tr').allInnerTexts();
    expect(rows).toHaveLength(6);
    for (const [index, { interval, unit }] of comparison!.metrics.entries()) {
      const write = unit === 'ms' ? msValue : rateValue;
      const signed = (value: number) => `${value < 0 ? '−' : '+'}${write(Math.abs(value))}`;
      expect(rows[index]).toContain(`${signed(interval!.low)} to ${signed(interval!.high)}`);
    }
    await page.keyboard.press('x');
    await page.getByText('B is slower').first().waitFor();
    expect(page.workers()).toEqual([thread]);
    expect(errors).toEqual([]);
    await close();
  });

  test.each([
    ['cannot be loaded', (page: Page) => page.route('**/compare-worker-*.js', (route) => route.abort())],
    ['are not to be had', (page: Page) => page.addInitScript(() => Object.assign(window, { Worker: undefined }))],
  ])('where threads %s the window makes it itself', async (_, forbid) => {
    const { page, close } = await app.open({ query: { sample: '/rich.json' } });
    await forbid(page);
    await page.reload();
    await openSample(page);
    await page.keyboard.press('v');
    await page.locator('.metrics').waitFor();
    expect(page.workers()).toEqual([]);
    await close();
  });
});

describe('what may not be compared', () => {
  test('stands side by side: no difference, no ratio, no interval, and what differs is named', async () => {
    const { page, errors, close } = await openCompare('/shift.json');
    const other = ofPace(20, { environment: { device: 'webgpu', threads: 4 } });
    await dropFile(page, 'other.json', JSON.stringify(other));
    await page.locator('.metrics').waitFor();
    await settled(page);
    expect(await page.locator('#standing').innerText()).toContain('They may not be compared');
    expect(await page.locator('.metrics thead th').allInnerTexts()).toEqual(['Metric', 'A', 'B']);
    expect(await page.locator('.side-by-side').innerText()).toMatch(/device, threads differ\./);
    expect(await page.locator('.forest').count()).toBe(0);
    expect(await page.locator('.differences tbody tr').allInnerTexts()).toContainEqual(
      expect.stringMatching(/device.*webgpu.*✕ changes the question, no claim while it differs/s),
    );
    expect(errors).toEqual([]);
    await close();
  });

  test('a batch of the sweep is another loop', async () => {
    const { page, close } = await openCompare('/rich.json');
    await page.getByLabel('Run of B').selectOption({ label: 'batch_sweep[1], 2 at once' });
    await page.getByText('Batch-sweep figures come from a loop of their own').waitFor();
    await settled(page);
    expect(await page.locator('.metrics thead th').allInnerTexts()).toEqual(['Metric', 'A', 'B']);
    expect(await page.locator('.pair-timeline').count()).toBe(0);
    await close();
  });

  test('another prompt is another question: figures, and no verdict', async () => {
    const { page, close } = await openCompare('/rich.json');
    await page.getByLabel('Run of B').selectOption('long_cached');
    await page.getByText('They answer another question').waitFor();
    await settled(page);
    const verdicts = await page.locator('.metrics tbody tr td:last-child').allInnerTexts();
    expect(new Set(verdicts)).toEqual(new Set(['none: another question']));
    await close();
  });
});

test('the first token that differs is marked in both strips, and said', async () => {
  const { page, errors, close } = await openCompare('/rich.json');
  const other = richRecord();
  for (const sample of other.runs[0]!.samples) {
    sample.generated_token_ids[7] = 42;
    sample.token_texts![7] = ' <b>other</b>';
  }
  await dropFile(page, 'other.json', JSON.stringify(other));
  await page.locator('.token.differs').first().waitFor();
  await settled(page);
  expect(await page.locator('#output-words').innerText()).toMatch(/from token 8 on.*id 42/);
  const marked = page.locator('.token.differs');
  expect(await marked.count()).toBe(2);
  expect(await marked.first().getAttribute('id')).toBe('token-a-7');
  expect(await marked.last().innerText()).toContain('<b>other</b>');
  expect(await marked.last().getAttribute('aria-label')).toMatch(/^first difference, /);
  expect(errors).toEqual([]);
  await close();
});

test('a token is selected in both strips by the keys of the timeline', async () => {
  const { page, close } = await openCompare('/rich.json');
  await page.locator('.compare-body .strip').first().focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await settled(page);
  expect(await page.locator('.token[aria-selected=true]').evaluateAll((all) => all.map(({ id }) => id))).toEqual([
    'token-a-2',
    'token-b-2',
  ]);
  expect(await page.locator('.pair-token').innerText()).toMatch(/^Token 3: A .* · B /);
  // The selection of the comparison is its own.
  await page.keyboard.press('t');
  await settled(page);
  expect(await page.locator('.token[aria-selected=true]').count()).toBe(0);
  await close();
});

test('a record that was refused cannot be chosen; closing the other tab falls back to this one', async () => {
  const { page, errors, close } = await openCompare('/rich.json');
  await dropFile(page, 'refused.json', JSON.stringify(refusedRecord()));
  await page.getByRole('alert').first().waitFor();
  await dropFile(page, 'second.json', JSON.stringify(richRecord()));
  await page.locator('.metrics').waitFor();
  await settled(page);
  expect(await chosen(page, 'A')).toEqual(['rich.json', 'short_cached']);
  expect(await page.locator('option', { hasText: 'refused.json' }).first().getAttribute('disabled')).not.toBeNull();
  await page.getByRole('button', { name: 'Close rich.json' }).click();
  await settled(page);
  expect(await chosen(page, 'A')).toEqual(['second.json', 'short_cached']);
  expect(await chosen(page, 'B')).toEqual(['second.json', 'short_without_cache']);
  expect(errors).toEqual([]);
  await close();
});

test.each([
  [900, 600],
  [2560, 1440],
])('nothing is wider than a window of %i x %i', async (width, height) => {
  const { page, close } = await app.open({ width, height, query: { sample: '/rich.json' } });
  await openSample(page);
  // More tabs than there is room for.
  for (let tab = 0; tab < 6; tab += 1) {
    await dropFile(page, `another record with a long name, ${tab}.json`, JSON.stringify(ofPace(20)));
    await settled(page);
  }
  const inSight = await page.evaluate(() => {
    const [tabs, active] = ['.tabs', '.tab.active'].map((name) =>
      document.querySelector(name)!.getBoundingClientRect(),
    );
    return active!.left >= tabs!.left - 1 && active!.right <= tabs!.right + 1;
  });
  expect(inSight).toBe(true);
  for (const key of ['v', 'p', 'Control+e']) {
    await page.keyboard.press(key);
    await settled(page);
    const outside = await page.evaluate(() => {
      const { clientWidth, scrollWidth, scrollHeight, clientHeight } = document.documentElement;
      const cut = [
        ...document.querySelectorAll(
          '.top-bar > *, .pair-picker *, .compare-body > .card, .report-tools *, .export button',
        ),
      ]
        .filter((element) => !element.closest('.hidden') && element.getBoundingClientRect().right > clientWidth + 1)
        .map((element) => element.outerHTML.slice(0, 100));
      return { cut, wider: scrollWidth - clientWidth, higher: scrollHeight - clientHeight };
    });
    expect(outside, key).toEqual({ cut: [], wider: 0, higher: 0 });
  }
  await close();
});
