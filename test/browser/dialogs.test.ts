import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMMANDS, type Command, type Shortcut } from '../../shared/commands.ts';
import { AppUnderTest, type OpenApp, settled } from './support/open-app.ts';
import { richRecord } from './support/records.ts';

let app: AppUnderTest;
beforeAll(async () => {
  app = await AppUnderTest.start();
  app.server.provide('/rich.json', JSON.stringify(richRecord()));
});
afterAll(() => app.stop());

/** Each dialog with the key that opens it. */
const DIALOGS = [
  ['Set up a run', 'e'],
  ['Keys', 'Shift+Slash'],
  ['Export', 'Control+e'],
  ['Save before closing?', 'Alt+w'],
] as const;
/** Escape is the dialog's own. */
const commands: readonly Command[] = COMMANDS.filter(({ id }) => id !== 'clear');

/** A run that is not saved, compared with another of its record, with a dialog over it. */
async function openDialog(key: string): Promise<OpenApp> {
  const opened = await app.open({ query: { sample: '/rich.json' } });
  const { page } = opened;
  await page.keyboard.press('r');
  await page.locator('.dock-table').waitFor();
  await page.keyboard.press('v');
  await page.locator('.metrics').waitFor();
  await settled(page);
  await page.keyboard.press(key);
  await page.locator('dialog').waitFor();
  await settled(page);
  return opened;
}

/** Everything outside of the dialog, and what the application was asked for. */
function behind(page: Page) {
  return page.evaluate(() => {
    const copy = document.documentElement.cloneNode(true) as Element;
    for (const dialog of copy.querySelectorAll('dialog')) dialog.replaceChildren();
    return {
      html: copy.outerHTML,
      asked: window.asked.length,
      dialogs: [...document.querySelectorAll('dialog h2')].map(({ textContent }) => textContent),
    };
  });
}

const chord = ({ code, ctrl, shift, alt }: Shortcut): string =>
  [...(ctrl ? ['Control'] : []), ...(alt ? ['Alt'] : []), ...(shift ? ['Shift'] : []), code].join('+');

test.each(DIALOGS)('behind the dialog "%s" no command of the native menu does anything', async (name, key) => {
  const { page, errors, close } = await openDialog(key);
  const before = await behind(page);
  expect(before.dialogs).toEqual([name]);
  for (const { id } of commands) {
    await page.evaluate((id) => window.tellWindow({ type: 'command', id }), id);
    await settled(page);
    expect(await behind(page), id).toEqual(before);
  }
  await page.keyboard.press('Escape');
  await settled(page);
  expect(await page.locator('dialog').count()).toBe(0);
  expect((await behind(page)).asked).toBe(before.asked);
  // Without a dialog they do what they are for.
  await page.evaluate(() => window.tellWindow({ type: 'command', id: 'save' }));
  await page.getByText('Saved.').waitFor();
  expect(errors).toEqual([]);
  await close();
});

test.each(DIALOGS)('behind the dialog "%s" no key does anything', async (name, key) => {
  const { page, errors, close } = await openDialog(key);
  const before = await behind(page);
  expect(before.dialogs).toEqual([name]);
  for (const { id, keys } of commands) {
    for (const each of keys) {
      await page.keyboard.press(chord(each));
      await settled(page);
      expect(await behind(page), `${id} by ${chord(each)}`).toEqual(before);
    }
  }
  await page.keyboard.press('Escape');
  await settled(page);
  expect(await page.locator('dialog').count()).toBe(0);
  expect(errors).toEqual([]);
  await close();
});

test('in a dialog our keys with Ctrl are not left to the browser, and what types is typed', async () => {
  const { page, close } = await openDialog('e');
  await page.getByRole('button', { name: 'As text' }).click();
  const text = page.getByLabel('Plan as JSON');
  await text.focus();
  /** Whether the browser would go on with the key. */
  const goesOn = (code: string, more: { ctrlKey?: boolean; altKey?: boolean }): Promise<boolean> =>
    text.evaluate(
      (element, init) =>
        element.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init })),
      { code, ...more },
    );
  expect(await goesOn('KeyS', { ctrlKey: true })).toBe(false);
  expect(await goesOn('KeyO', { ctrlKey: true })).toBe(false);
  // Braces of a German keyboard on a Mac.
  expect(await goesOn('Digit8', { altKey: true })).toBe(true);
  await text.fill('');
  await page.keyboard.type('rewst');
  expect(await text.inputValue()).toBe('rewst');
  await close();
});
