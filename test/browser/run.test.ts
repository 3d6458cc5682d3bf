import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppUnderTest, settled } from './support/open-app.ts';
import { richRecord } from './support/records.ts';

let app: AppUnderTest;

beforeAll(async () => {
  app = await AppUnderTest.start();
  app.server.provide('/rich.json', JSON.stringify(richRecord()));
});

afterAll(async () => {
  await app.stop();
});

test('by keyboard alone: run, look at the record, save it, close it', async () => {
  const { page, errors, close } = await app.open({ query: { sample: '/rich.json' } });
  await page.keyboard.press('r');
  await page.locator('.dock-table').waitFor();
  await settled(page);
  expect(await page.locator('.tab.active').textContent()).toContain('not saved');
  await page.keyboard.press('ArrowDown');
  expect(await page.locator('p[role=status]').textContent()).toContain('sample 2');
  await page.keyboard.press('Alt+w');
  await page.getByRole('dialog', { name: 'Save before closing?' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+s');
  await settled(page);
  expect(await page.locator('.tab.active').textContent()).not.toContain('not saved');
  await page.keyboard.press('Alt+w');
  await page.getByRole('heading', { name: /Was it the wait/ }).waitFor();
  expect(errors).toEqual([]);
  await close();
});

test('Tab reaches everything on the start page and shows where it is', async () => {
  const { page, close } = await app.open();
  const reached: string[] = [];
  for (let step = 0; step < 16; step += 1) {
    await page.keyboard.press('Tab');
    const [name, outline] = await page.evaluate(() => {
      const element = document.activeElement!;
      return [element.getAttribute('aria-label') ?? element.textContent ?? '', getComputedStyle(element).outlineStyle];
    });
    reached.push(name);
    if (name !== '') expect(outline).toBe('solid');
  }
  const all = reached.join('|');
  for (const name of ['Run suite', 'Set up', 'Open a record', 'Open the sample', 'Synthesize'])
    expect(all).toContain(name);
  await close();
});

test('a run grows as tokens arrive, and Escape stops it and keeps what was measured', async () => {
  const { page, errors, close } = await app.open({ query: { sample: '/rich.json', speed: '1' } });
  await page.keyboard.press('r');
  await page.getByText('short_cached, sample 2 of 3').waitFor();
  expect(await page.locator('.live-headline').textContent()).toMatch(/Step 3 of 23/);
  await page.locator('.live-text').filter({ hasText: 'When a code' }).waitFor();
  await page.keyboard.press('Escape');
  await page.locator('.dock-table').waitFor();
  await settled(page);
  expect(await page.locator('.sidebar').textContent()).toContain('stopped by request');
  // Somebody wanted it: that is no fault.
  expect(await page.locator('.notice.info').innerText()).toContain('what was measured until then is kept');
  expect(await page.locator('.notice.error, .notice[role=alert]').count()).toBe(0);
  expect(errors).toEqual([]);
  await close();
});

test('a window that is loaded during a run knows the step that is going on', async () => {
  const query = { sample: '/rich.json', speed: '0.01', running: '1' };
  const { page, errors, close } = await app.open({ query });
  await page.locator('.live-headline').waitFor();
  expect(await page.locator('.live-headline h1').innerText()).toBe('warm-up');
  expect(await page.locator('.live-title p').innerText()).toMatch(/^Step 1 of 23 · Demo model · /);
  const bar = page.getByRole('progressbar', { name: 'Steps of the plan' });
  expect(await bar.evaluate(({ max, value }: HTMLProgressElement) => [value, max])).toEqual([0, 23]);
  expect(errors).toEqual([]);
  await close();
});

test('before the first token no figure is shown that was not measured', async () => {
  const { page, close } = await app.open({ query: { sample: '/rich.json', speed: '0.05' } });
  await page.keyboard.press('r');
  await page.locator('.inspector').getByText('None yet.').waitFor();
  const text = (await page.locator('.inspector').textContent()) ?? '';
  expect(text).toContain('wait –');
  expect(text).not.toMatch(/0\.000|-\d|End to end|NaN/);
  expect(await page.locator('.live-reply').textContent()).toContain('Waiting for the first token');
  await close();
});

test('a second run is refused with the reason', async () => {
  const { page, close } = await app.open({ query: { sample: '/rich.json', speed: '0.5' } });
  await page.keyboard.press('r');
  await page.locator('.live-headline').waitFor();
  await page.keyboard.press('r');
  expect(await page.locator('.notice').textContent()).toContain('is still running');
  await close();
});

test('no token of a fast stream is lost', async () => {
  const { page, errors, close } = await app.open({ query: { stream: '5000x2', speed: '1' } });
  await page.keyboard.press('r');
  await page.locator('.dock-table').waitFor();
  await settled(page);
  const strip = page.getByRole('listbox', { name: 'Tokens of the reply, 10000' });
  await strip.waitFor();
  expect(errors).toEqual([]);
  await close();
});

test('a wrong plan is explained in place and cannot be run; a corrected one can', async () => {
  const { page, close } = await app.open({ query: { sample: '/rich.json' } });
  await page.keyboard.press('e');
  await page.getByRole('button', { name: 'Runs', exact: true }).click();
  const run = page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true });
  await page.getByLabel('Cap, tokens').fill('many');
  expect(await page.getByText('max_new_tokens must be a whole number').count()).toBe(1);
  expect(await run.isDisabled()).toBe(true);
  await page.getByLabel('Cap, tokens').fill('8');
  expect(await run.isDisabled()).toBe(false);
  await page.getByLabel('KV cache').uncheck();
  await page.getByLabel('Chunk size').fill('16');
  expect(await page.getByText(/chunk_size needs use_cache/).count()).toBe(1);
  await page.getByLabel('Chunk size').fill('');
  await page.getByRole('button', { name: 'Duplicate' }).click();
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('short_cached_2');
  await page.getByLabel('Name', { exact: true }).fill('short_cached');
  expect(await page.getByText(/two runs share the name/).count()).toBe(1);
  await close();
});

test('a plan is loaded from text, and refused with its place', async () => {
  const { page, close } = await app.open();
  await page.keyboard.press('e');
  await page.getByRole('button', { name: 'As text' }).click();
  const text = page.getByLabel('Plan as JSON');
  await text.fill('{"runs": [{"name": "mine", "prompt": ""}]}');
  await page.getByRole('button', { name: 'Use this text' }).click();
  expect(await page.locator('#plan-json-problems').textContent()).toContain('runs.0.prompt: prompt must not be empty');
  await text.fill('{"name": "my plan", "runs": [{"name": "mine", "prompt": "Hello"}]}');
  await page.getByRole('button', { name: 'Use this text' }).click();
  expect(await page.locator('.setup-foot').textContent()).toContain('my plan: 1 run');
  await close();
});
