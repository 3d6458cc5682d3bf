import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hubAccess } from '../../main/download/hub-endpoint.ts';
import { COMMIT, Hub, tinyModel } from '../support/hub.ts';
import { AppUnderTest, settled } from './support/open-app.ts';
import { closeBrowser, openServedApp } from './support/served-app.ts';

let app: AppUnderTest;
beforeAll(async () => {
  app = await AppUnderTest.start();
});
afterAll(async () => {
  await app.stop();
  await closeBrowser();
});

test('a model is shown with where it comes from and what it takes; what is not known yet says so', async () => {
  const { page, errors, close } = await app.open();
  await page.keyboard.press('e');
  await page.getByRole('radio', { name: /Qwen2.5-0.5B/ }).check();
  await settled(page);
  const facts = await page.locator('.model-panel').innerText();
  expect(facts).toMatch(/Repository\s+onnx-community\/Qwen2\.5-0\.5B-Instruct/);
  expect(facts).toMatch(/Revision\s+cc5cc01a65cc3ff17bdb73a7de33d879f62599b0/);
  expect(facts).toMatch(/Licence\s+apache-2\.0/);
  expect(facts).toMatch(/Weights\s+786 MB/);
  expect(facts).toMatch(/KV cache\s+known once it was loaded/);
  expect(facts).toMatch(/Context\s+32,768 tokens/);
  expect(facts).not.toMatch(/undefined|null|NaN/);
  await page.getByRole('button', { name: /^Verify/ }).click();
  await page.getByText('Every byte is as it was downloaded: 1 file read.').waitFor();
  expect(errors).toEqual([]);
  await close();
});

test('a download tells how far it is and can be cancelled', async () => {
  const { page, errors, close } = await app.open();
  await page.keyboard.press('e');
  await page.getByText('Download a model').click();
  await page.getByRole('button', { name: 'Download', exact: true }).click();
  const progress = page.locator('.download-progress');
  await progress.waitFor();
  expect(await progress.innerText()).toMatch(
    /6 files, 797 MB, licence apache-2\.0.*50% of 797 MB.*12\.0 MB\/s.*33 seconds left/s,
  );
  expect(
    await page.getByRole('progressbar', { name: /^Downloading/ }).evaluate((bar: HTMLProgressElement) => bar.value),
  ).toBeCloseTo(0.5, 2);
  await page.getByRole('button', { name: 'Cancel the download' }).click();
  await page.getByText('The download was cancelled').waitFor();
  expect(await progress.count()).toBe(0);
  expect(errors).toEqual([]);
  await close();
});

test('from the hub to a model that is chosen, through the real application', async () => {
  const hub = await Hub.start(tinyModel());
  const served = await openServedApp({ hubAccess: hubAccess({ HF_ENDPOINT: hub.endpoint }) });
  const { page, errors, profiler } = served;
  await page.keyboard.press('e');
  await page.getByText('Download a model').click();
  await page.getByLabel('Repository').fill('tiny/decoder');
  await page.getByLabel('Revision').fill('main');
  await page.getByRole('button', { name: 'Download', exact: true }).click();
  await page.getByText('The model is ready').waitFor();
  await settled(page);
  expect(await page.getByRole('radio', { name: /^decoder, q4/ }).isChecked()).toBe(true);
  // The branch has become the commit that was downloaded.
  expect(await page.locator('.model-panel').innerText()).toContain(COMMIT);
  await page.getByRole('button', { name: 'Verify decoder, q4' }).click();
  await page.getByText('Every byte is as it was downloaded: 8 files read.').waitFor();
  await page.getByRole('button', { name: 'Remove decoder, q4 from the list' }).click();
  await page.getByRole('radio', { name: /^decoder, q4/ }).waitFor({ state: 'detached' });
  expect(profiler.getState().models.map(({ id }) => id)).toEqual(['demo']);
  expect(errors).toEqual([]);
  await served.close();
  await hub.close();
});

test('what the hub refuses is told over the dialog in which it was asked', async () => {
  const hub = await Hub.start(tinyModel());
  hub.token = 'secret';
  const served = await openServedApp({ hubAccess: hubAccess({ HF_ENDPOINT: hub.endpoint }) });
  const { page } = served;
  await page.keyboard.press('e');
  await page.getByText('Download a model').click();
  await page.getByLabel('Repository').fill('tiny/decoder');
  await page.getByRole('button', { name: 'Download', exact: true }).click();
  const notice = page.locator('dialog .notice.error');
  await notice.waitFor();
  expect(await notice.innerText()).toContain('What to do');
  await notice.getByRole('button', { name: 'Dismiss the message' }).click();
  expect(await page.locator('.notice').count()).toBe(0);
  expect(await page.locator('dialog.setup').count()).toBe(1);
  await served.close();
  await hub.close();
});

test('a folder that is dropped is taken for a model, a file for a record', async () => {
  const { page, close } = await app.open();
  const folder = mkdtempSync(join(tmpdir(), 'tokenscope-drop-'));
  mkdirSync(join(folder, 'my-model'));
  const session = await page.context().newCDPSession(page);
  const at = { x: 400, y: 300 };
  const data = { items: [], files: [join(folder, 'my-model')], dragOperationsMask: 1 };
  await session.send('Input.dispatchDragEvent', { type: 'dragEnter', ...at, data });
  await session.send('Input.dispatchDragEvent', { type: 'dragOver', ...at, data });
  await session.send('Input.dispatchDragEvent', { type: 'drop', ...at, data });
  // A browser cannot hand a folder over, and says so; it is not read as a record.
  await page.getByText('a browser cannot hand over a folder').waitFor();
  await close();
});
