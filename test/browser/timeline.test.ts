import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppUnderTest, openSample, settled } from './support/open-app.ts';
import { largeRecord } from './support/large-record.ts';
import { richRecord } from './support/records.ts';

let app: AppUnderTest;

beforeAll(async () => {
  app = await AppUnderTest.start();
  app.server.provide('/rich.json', JSON.stringify(richRecord()));
  app.server.provide('/large.json', JSON.stringify(largeRecord({ samples: 1, tokens: 20_000 })));
});

afterAll(async () => {
  await app.stop();
});

const spoken = (page: Page) => page.locator('p[role=status]').textContent();
const inspected = (page: Page) => page.locator('.inspector').textContent();

/** Where on the page a moment of a lane lies, while everything is shown. The longest lane ends at 1,611 ms. */
async function canvasBox(page: Page) {
  return (await page.locator('.lanes-canvas').boundingBox())!;
}

test('arrow keys walk through samples and tokens and say what they find', async () => {
  const { page, close } = await app.open({ query: { sample: '/rich.json' } });
  await openSample(page);
  await page.keyboard.press('ArrowDown');
  expect(await spoken(page)).toBe('short_cached, sample 2: wait 36.4 ms, then 23 intervals of 24.1 ms on average.');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowRight');
  expect(await spoken(page)).toContain('Token 1: “When”, Wait 37.0 ms');
  await page.keyboard.press('Period');
  expect(await spoken(page)).toContain('Token 21: “·and”, stall, Interval 201 ms');
  expect(await inspected(page)).toContain('Token 21: “·and”');
  await page.keyboard.press('Period');
  expect(await spoken(page)).toContain('Token 22');
  await page.keyboard.press('Home');
  expect(await spoken(page)).toContain('Token 1:');
  await page.keyboard.press('End');
  expect(await spoken(page)).toContain('Token 24:');
  await close();
});

test('a click selects the token under the pointer, hovering tells of it', async () => {
  const { page, close } = await app.open({ query: { sample: '/rich.json' } });
  await openSample(page);
  const box = await canvasBox(page);
  // The second lane of the first run, a bit after its first token.
  const lane = page.getByRole('button', { name: 'short_cached, sample 2' });
  const { y, height } = (await lane.boundingBox())!;
  await page.mouse.move(box.x + 25, y + height / 2);
  await page.locator('.tooltip').waitFor();
  expect(await page.locator('.tooltip').textContent()).toContain('Token 3:');
  await page.mouse.down();
  await page.mouse.up();
  await settled(page);
  expect(await inspected(page)).toContain('short_cached · sample 2');
  expect(await inspected(page)).toContain('Token 3:');
  await close();
});

test('dragging selects a range, Escape clears it', async () => {
  const { page, close } = await app.open({ query: { sample: '/rich.json' } });
  await openSample(page);
  const box = await canvasBox(page);
  await page.mouse.move(box.x + 50, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 250, box.y + 60, { steps: 4 });
  await page.mouse.up();
  await settled(page);
  expect(await inspected(page)).toMatch(/Range \d+ ms/);
  await page.keyboard.press('Escape');
  await settled(page);
  expect(await inspected(page)).not.toContain('Range');
  await close();
});

test('W, S, A, D, F and 0 change what is on screen, and keys do nothing in a text field', async () => {
  const { page, close } = await app.open({ query: { sample: '/rich.json' } });
  await openSample(page);
  const picture = async () => {
    await settled(page);
    return page.locator('.axis-canvas').evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());
  };
  const all = await picture();
  await page.keyboard.press('w');
  const zoomed = await picture();
  expect(zoomed).not.toBe(all);
  await page.keyboard.press('d');
  expect(await picture()).not.toBe(zoomed);
  await page.keyboard.press('a');
  await page.keyboard.press('s');
  await page.keyboard.press('s');
  expect(await picture()).toBe(all);
  await page.keyboard.press('f');
  expect(await picture()).not.toBe(all);
  await page.keyboard.press('0');
  expect(await picture()).toBe(all);
  await page.keyboard.press('e');
  await page.getByRole('button', { name: 'Whole plan' }).click();
  await page.getByLabel('Name of the plan').fill('');
  await page.keyboard.type('was r');
  expect(await page.getByLabel('Name of the plan').inputValue()).toBe('was r');
  await page.keyboard.press('Escape');
  expect(await picture()).toBe(all);
  await close();
});

test('a run can be collapsed, and its lanes are passed over then', async () => {
  const { page, close } = await app.open({ query: { sample: '/rich.json' } });
  await openSample(page);
  const group = page.getByRole('button', { name: 'short_cached', exact: true, expanded: true });
  await group.click();
  expect(await page.getByRole('button', { name: 'short_cached, sample 2' }).count()).toBe(0);
  await page.keyboard.press('ArrowDown');
  expect(await spoken(page)).toContain('long_cached, sample 1');
  await close();
});

test('twenty thousand tokens: only what is on screen exists, and the last one can be reached', async () => {
  const { page, errors, close } = await app.open({ query: { sample: '/large.json' } });
  await openSample(page);
  expect(await page.locator('.token').count()).toBeLessThan(400);
  await page.keyboard.press('End');
  await settled(page);
  await page.locator('#token-19999').waitFor();
  expect(await inspected(page)).toContain('Token 20,000:'.replace(',', ''));
  expect(errors).toEqual([]);
  await close();
});

test('the border to charts and table moves by arrow keys', async () => {
  const { page, close } = await app.open();
  await openSample(page);
  const dock = page.locator('.dock');
  const before = (await dock.boundingBox())!.height;
  await page.getByRole('separator').focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await settled(page);
  expect((await dock.boundingBox())!.height).toBeGreaterThan(before + 20);
  await close();
});
