import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeFindings } from './support/axe.ts';
import { AppUnderTest, openSample, settled } from './support/open-app.ts';
import { refusedRecord, richRecord } from './support/records.ts';

let app: AppUnderTest;

beforeAll(async () => {
  app = await AppUnderTest.start();
  app.server.provide('/rich.json', JSON.stringify(richRecord()));
  app.server.provide('/refused.json', JSON.stringify(refusedRecord()));
  app.server.provide('/alone.json', JSON.stringify({ ...richRecord(), runs: richRecord().runs.slice(0, 1) }));
});

afterAll(async () => {
  await app.stop();
});

interface State {
  query?: Record<string, string>;
  reach(page: Page): Promise<void>;
}

const setup = (name: string) => async (page: Page) => {
  await page.keyboard.press('e');
  await page.getByRole('button', { name, exact: true }).click();
};

/** Every state that the window can be in. */
const STATES: Record<string, State> = {
  'start page': { reach: async () => undefined },
  timeline: { query: { sample: '/rich.json' }, reach: openSample },
  'a record without token texts': { reach: openSample },
  'token selected': {
    query: { sample: '/rich.json' },
    async reach(page) {
      await openSample(page);
      await page.keyboard.press('Period');
    },
  },
  charts: {
    query: { sample: '/rich.json' },
    async reach(page) {
      await openSample(page);
      await page.getByRole('button', { name: 'Charts' }).click();
    },
  },
  'definition of a column': {
    async reach(page) {
      await openSample(page);
      await page.getByRole('button', { name: 'TTFT ms' }).focus();
    },
  },
  range: {
    async reach(page) {
      await openSample(page);
      await dragRange(page);
    },
  },
  'record view': {
    query: { sample: '/rich.json' },
    async reach(page) {
      await openSample(page);
      await page.keyboard.press('i');
    },
  },
  'comparison that may be made': {
    query: { sample: '/rich.json' },
    async reach(page) {
      await openSample(page);
      await page.keyboard.press('v');
      await page.locator('.metrics').waitFor();
    },
  },
  'comparison that may not be made': {
    query: { sample: '/rich.json' },
    async reach(page) {
      await openSample(page);
      await page.keyboard.press('v');
      await page.getByLabel('Run of B').selectOption({ label: 'batch_sweep[0], 1 at once' });
      await page.getByText('They may not be compared').waitFor();
    },
  },
  'a run alone': {
    query: { sample: '/alone.json' },
    async reach(page) {
      await openSample(page);
      await page.keyboard.press('v');
      await page.getByText('One run alone').waitFor();
    },
  },
  report: {
    query: { sample: '/rich.json' },
    async reach(page) {
      await openSample(page);
      await page.keyboard.press('p');
      await page.locator('.report-sheet svg').waitFor();
    },
  },
  export: {
    query: { sample: '/rich.json' },
    async reach(page) {
      await openSample(page);
      await page.keyboard.press('Control+e');
      await page.locator('.export .report-sheet svg').waitFor();
    },
  },
  'export that is refused': {
    query: { sample: '/rich.json' },
    async reach(page) {
      await openSample(page);
      await page.keyboard.press('Control+e');
      await page.getByLabel('Scale').fill('12');
      await page.getByRole('button', { name: 'Export PNG' }).click();
      await page.locator('.export-refusal p').waitFor();
    },
  },
  'export as text': {
    query: { sample: '/rich.json' },
    async reach(page) {
      await openSample(page);
      await page.keyboard.press('Control+e');
      await page.getByRole('radio', { name: 'Markdown' }).check();
    },
  },
  'formulas of other tools': {
    query: { sample: '/rich.json' },
    async reach(page) {
      await openSample(page);
      await page.locator('.definitions summary').click();
    },
  },
  'refused record': { query: { sample: '/refused.json' }, reach: openSample },
  keys: { reach: (page) => page.keyboard.press('Shift+Slash') },
  'setup, model': { reach: setup('Model') },
  'setup, a model that is downloaded': {
    async reach(page) {
      await setup('Model')(page);
      await page.getByRole('radio', { name: /Qwen2.5-0.5B/ }).check();
      await page.getByText('Download a model').click();
      await page.getByRole('button', { name: 'Download', exact: true }).click();
      await page.locator('.download-progress').waitFor();
    },
  },
  'setup, runs with mistakes': {
    async reach(page) {
      await setup('Runs')(page);
      await page.getByLabel('Cap, tokens').fill('many');
      await page.getByLabel('Prompt').fill('');
    },
  },
  'setup, whole plan': { reach: setup('Whole plan') },
  'setup, as text': { reach: setup('As text') },
  running: {
    query: { sample: '/rich.json', speed: '0.25' },
    async reach(page) {
      await page.keyboard.press('r');
      await page.locator('.live-headline .live-text').waitFor();
    },
  },
  'unsaved record to be closed': {
    query: { sample: '/rich.json' },
    async reach(page) {
      await page.keyboard.press('r');
      await page.locator('.dock-table').waitFor();
      await page.keyboard.press('Alt+w');
    },
  },
  'a refusal in words': {
    async reach(page) {
      await setup('Model')(page);
      await page.getByRole('button', { name: 'Add a model folder' }).click();
      await page.keyboard.press('Escape');
    },
  },
};

async function dragRange(page: Page): Promise<void> {
  const box = (await page.locator('.lanes-canvas').boundingBox())!;
  await page.mouse.move(box.x + 60, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 200, box.y + 60, { steps: 3 });
  await page.mouse.up();
}

describe.each(['light', 'dark'] as const)('%s', (theme) => {
  test.each(Object.keys(STATES))('axe finds nothing: %s', async (name) => {
    const { query = {}, reach } = STATES[name]!;
    const { page, errors, close } = await app.open({ theme, query });
    await reach(page);
    if (name !== 'running') await settled(page);
    expect(await axeFindings(page)).toEqual([]);
    expect(errors).toEqual([]);
    await close();
  });
});

test.each([
  [900, 600],
  [1280, 800],
  [2560, 1440],
])('nothing is wider than a window of %i x %i', async (width, height) => {
  const { page, close } = await app.open({ width, height, query: { sample: '/rich.json' } });
  await openSample(page);
  const overflow = await page.evaluate(() => {
    const { scrollWidth, scrollHeight, clientWidth, clientHeight } = document.documentElement;
    const outside = [
      ...document.querySelectorAll('.top-bar *, .headline *, .inspector .panel *, .sidebar .panel *'),
    ].filter((element) => {
      const box = element.getBoundingClientRect();
      return box.width > 0 && !element.closest('.hidden') && (box.right > clientWidth + 1 || box.left < -1);
    });
    return {
      wider: scrollWidth - clientWidth,
      higher: scrollHeight - clientHeight,
      outside: outside.map((element) => element.outerHTML.slice(0, 120)),
    };
  });
  expect(overflow).toEqual({ wider: 0, higher: 0, outside: [] });
  await close();
});
