import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { SAMPLE_RECORD } from '../../main/app-paths.ts';
import { largeRecord } from '../support/large-records.ts';
import { CAN_MOUNT, smallDisk } from '../support/small-disk.ts';
import { DRIVER, type Driver } from './support/driver.ts';
import { stateOf } from './support/state.ts';
import { openApp, settled, testFolder } from './support/open-app.ts';

/** Its first bytes. */
const PNG = [0x89, 0x50, 0x4e, 0x47];

let folder: string;
let app: Driver;

/** Another name for the sample: one tab for each. */
function recordNamed(name: string): string {
  const path = join(folder, name);
  writeFileSync(path, readFileSync(SAMPLE_RECORD));
  return path;
}
const tab = (name: string) =>
  app.page
    .locator('[role=tab]', { hasText: name })
    .or(app.page.locator('.tab', { hasText: name }))
    .first();

beforeAll(async () => {
  console.log(DRIVER);
  folder = testFolder();
  mkdirSync(join(folder, 'data'));
  app = await openApp({ folder, params: [SAMPLE_RECORD] });
});

describe('a started app', () => {
  test('shows one window with its page, once there is something to see', async () => {
    const windows = () =>
      app.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows().map((window) => ({
          visible: window.isVisible(),
          url: window.webContents.getURL(),
          bounds: window.getNormalBounds(),
        })),
      );
    const bounds = { width: 1280, height: 800 };
    await expect.poll(windows).toMatchObject([{ visible: true, url: 'app://tokenscope/index.html', bounds }]);
    expect(await app.page.title()).toBe('Tokenscope');
    expect(await stateOf(app.page)).toMatchObject({ host: 'electron', run: null });
  });

  test('follows the theme that is set', async () => {
    const isDark = () => app.page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches);
    for (const theme of ['dark', 'light'] as const) {
      await app.page.evaluate((theme) => window.tokenscope?.updateSettings({ theme }), theme);
      await expect.poll(isDark).toBe(theme === 'dark');
    }
  });
});

describe('opens a record', () => {
  test('that its command line names', async () => {
    await tab('live-run.json').waitFor();
    expect(await stateOf(app.page)).toMatchObject({ tabs: [{ name: 'live-run.json', valid: true }] });
  });

  test('that a second instance was started with, which leaves it to the first', async () => {
    const path = recordNamed('second-instance.json');
    await app.startAgain([path]);
    await tab('second-instance.json').waitFor();
    expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
  });

  test('that macOS tells of by an event', async () => {
    const path = recordNamed('open-file.json');
    const prevented = await app.evaluate(({ app }, path) => {
      let prevented = false;
      app.emit('open-file', { preventDefault: () => (prevented = true) }, path);
      return prevented;
    }, path);
    expect(prevented).toBe(true);
    await tab('open-file.json').waitFor();
  });

  test('that was chosen in the dialog', async () => {
    const path = recordNamed('dialog.json');
    await answerDialogs(app, path);
    await app.page.keyboard.press('Control+o');
    await tab('dialog.json').waitFor();
    expect(await asked(app)).toEqual(['open']);
  });

  test('that was dropped, as the file that it is', async () => {
    const path = recordNamed('dropped.json');
    await app.drop([path]);
    await tab('dropped.json').waitFor();
    await settled(app);
    const state = await stateOf(app.page);
    // It can be saved where it came from.
    expect(state.tabs.at(-1)).toMatchObject({ name: 'dropped.json', unsaved: false });
    expect(state.recent[0]).toMatchObject({ name: 'dropped.json' });
  });

  test('that a script of the page has made, as bytes without a path', async () => {
    const text = readFileSync(SAMPLE_RECORD, 'utf8');
    const outcome = await app.page.evaluate((text) => {
      const file = new File([text], 'made.json', { lastModified: 0 });
      return window.tokenscope?.openRecord({ by: 'file', file });
    }, text);
    expect(outcome).toMatchObject({ ok: true });
    const { tabs, recent } = await stateOf(app.page);
    expect(tabs.at(-1)).toMatchObject({ name: 'made.json' });
    expect(recent.map(({ name }) => name)).not.toContain('made.json');
  });
});

test('saves a record where the dialog says', async () => {
  const path = join(folder, 'saved.json');
  await tab('live-run.json').click();
  await settled(app);
  await answerDialogs(app, path);
  await app.page.keyboard.press('Control+Shift+s');
  await expect.poll(async () => (await stateOf(app.page)).tabs.map(({ name }) => name)).toContain('saved.json');
  expect(await asked(app)).toEqual(['save']);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ model: { id: 'Qwen/Qwen2.5-0.5B-Instruct' } });
});

test('a large record is read by a process of its own, shown, and saved as it was', async () => {
  const path = join(folder, 'large.json');
  const record = largeRecord();
  writeFileSync(path, JSON.stringify(record));
  await answerDialogs(app, path);
  await app.page.keyboard.press('Control+o');
  await tab('large.json').waitFor();
  await settled(app);
  await expect.poll(() => app.page.locator('.table-scroll tbody tr').allInnerTexts()).toHaveLength(1);
  const id = (await stateOf(app.page)).tabs.at(-1)?.id ?? '';
  const handed = await app.page.evaluate(async (id) => {
    const outcome = await window.tokenscope?.readRecord(id);
    return outcome?.ok === true && 'json' in outcome.value ? new TextDecoder().decode(outcome.value.json) : outcome;
  }, id);
  expect(handed === readFileSync(path, 'utf8')).toBe(true);
  const copy = join(folder, 'large-copy.json');
  await answerDialogs(app, copy);
  await app.page.keyboard.press('Control+Shift+s');
  await expect.poll(() => existsSync(copy)).toBe(true);
  expect(readFileSync(copy).equals(readFileSync(path))).toBe(true);
});

test('a record whose file is removed while it is open stays, and can be saved again', async () => {
  const path = recordNamed('removed.json');
  await answerDialogs(app, path);
  await app.page.keyboard.press('Control+o');
  await tab('removed.json').waitFor();
  await settled(app);
  rmSync(path);
  const id = (await stateOf(app.page)).tabs.at(-1)?.id ?? '';
  expect(await app.page.evaluate((id) => window.tokenscope?.readRecord(id), id)).toMatchObject({
    ok: true,
    value: { valid: true },
  });
  await answerDialogs(app, path);
  await app.page.keyboard.press('Control+Shift+s');
  await expect.poll(() => existsSync(path)).toBe(true);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ model: { id: 'Qwen/Qwen2.5-0.5B-Instruct' } });
});

test.skipIf(!CAN_MOUNT)(
  'a save for which there is no room is told in the window, and leaves nothing behind',
  async () => {
    const disk = smallDisk(16);
    if (disk === undefined) throw new Error('there was a small disk a moment ago');
    try {
      const before = (await stateOf(app.page)).tabs;
      await answerDialogs(app, join(disk.path, 'no-room.json'));
      await app.page.keyboard.press('Control+Shift+s');
      await app.page.getByText('the disk is full, nothing was written').waitFor();
      expect((await stateOf(app.page)).tabs).toEqual(before);
      expect(readdirSync(disk.path)).toEqual([]);
    } finally {
      disk.remove();
    }
  },
);

test('puts the report on the clipboard as a picture, and writes it as a file', async () => {
  const [tab] = (await stateOf(app.page)).tabs;
  const id = tab?.id ?? '';
  const copied = await app.page.evaluate((id) => window.tokenscope?.copyPicture({ id, scale: 1, theme: 'light' }), id);
  expect(copied).toMatchObject({ ok: true });
  const start = await app.evaluate(async ({ clipboard }) => {
    const [item] = await clipboard.read();
    const picture = await item?.getType('image/png');
    return picture instanceof Blob ? [...new Uint8Array(await picture.arrayBuffer()).subarray(0, 4)] : undefined;
  });
  expect(start).toEqual(PNG);
  const path = join(folder, 'report.png');
  await answerDialogs(app, path);
  await app.page.evaluate((id) => window.tokenscope?.exportFile({ id, format: 'png', scale: 1, theme: 'light' }), id);
  expect([...readFileSync(path).subarray(0, 4)]).toEqual(PNG);
});

describe('the menu', () => {
  test('has each command once, and its keys do once what the item does', async () => {
    const items = await app.evaluate(({ Menu }) => {
      const all: { id: string; accelerator: string | null }[] = [];
      const walk = (items: Electron.MenuItem[]) => {
        for (const item of items) {
          if (item.id !== '') all.push({ id: item.id, accelerator: item.accelerator ?? null });
          if (item.submenu !== undefined) walk(item.submenu.items);
        }
      };
      walk(Menu.getApplicationMenu()?.items ?? []);
      return all;
    });
    expect(items).toContainEqual({ id: 'open', accelerator: 'CmdOrCtrl+O' });
    expect(items).toContainEqual({ id: 'save-as', accelerator: 'CmdOrCtrl+Shift+S' });
    expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
    const taken = items.flatMap(({ accelerator }) => (accelerator === null ? [] : [accelerator]));
    expect(new Set(taken).size).toBe(taken.length);
  });

  test('opens, and shows the sheet of keys and the set-up', async () => {
    await answerDialogs(app, recordNamed('menu.json'));
    await choose(app, 'open');
    await tab('menu.json').waitFor();
    expect(await asked(app)).toEqual(['open']);
    for (const id of ['keys', 'setup']) {
      await choose(app, id);
      await app.page.getByRole('dialog').waitFor();
      await app.page.keyboard.press('Escape');
      await app.page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  });

  test('leaves the keys of its commands to the page, which has them too', async () => {
    await answerDialogs(app, join(folder, 'nothing.json'));
    const before = (await stateOf(app.page)).tabs.length;
    await app.page.keyboard.press('Control+w');
    await expect.poll(async () => (await stateOf(app.page)).tabs.length).toBe(before - 1);
    await settled(app);
    expect((await stateOf(app.page)).tabs).toHaveLength(before - 1);
  });
});

/** Has the file dialogs answer with a path, and notes which ones were shown. */
async function answerDialogs(app: Driver, path: string): Promise<void> {
  await app.evaluate(({ dialog }, path) => {
    const asked: string[] = [];
    Object.assign(globalThis, { asked });
    dialog.showOpenDialog = () => {
      asked.push('open');
      return Promise.resolve({ canceled: false, filePaths: [path] });
    };
    dialog.showSaveDialog = () => {
      asked.push('save');
      return Promise.resolve({ canceled: false, filePath: path });
    };
  }, path);
}

function asked(app: Driver): Promise<unknown> {
  return app.evaluate(() => Reflect.get(globalThis, 'asked') as unknown);
}

async function choose(app: Driver, id: string): Promise<void> {
  await app.evaluate(({ Menu }, id) => Menu.getApplicationMenu()?.getMenuItemById(id)?.click(), id);
}
