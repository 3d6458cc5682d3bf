import { readFileSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { nativeTheme, screen } from 'electron';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { focusWindow, openMainWindow } from '../../../main/window.ts';
import { clampedBounds } from '../../../main/window-place.ts';
import type { FakeWindow } from '../../support/electron-mock.ts';
import { temporaryFolder } from '../../support/profiler.ts';

vi.mock('electron', async () => (await import('../../support/electron-mock.ts')).electronMock());

let folder: string;
const notices: string[] = [];
beforeEach(() => {
  folder = temporaryFolder();
  notices.length = 0;
});
async function open() {
  const main = await openMainWindow(folder, '2026-03-04T05:06:07.000Z', (message) => notices.push(message));
  return { main, window: main.window as unknown as FakeWindow };
}

describe('the window', () => {
  test('has every guard stated, a smallest size, the theme’s colour, and our own page', async () => {
    const { window } = await open();
    expect(window.options).toMatchObject({
      width: 1280,
      height: 800,
      minWidth: 900,
      minHeight: 600,
      show: false,
      backgroundColor: '#14171c',
    });
    expect(window.options['webPreferences']).toEqual({
      preload: expect.stringMatching(/out.preload.index\.cjs$/),
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false,
    });
    expect(isAbsolute((window.options['webPreferences'] as { preload: string }).preload)).toBe(true);
    expect(window.loaded).toBe('app://tokenscope/index.html');
  });

  test('is shown once there is something to see', async () => {
    const { window } = await open();
    expect(window.calls).toEqual([]);
    window.emit('ready-to-show');
    expect(window.calls).toEqual(['show']);
  });

  test('opens where it was closed', async () => {
    const { main, window } = await open();
    window.bounds = { x: 300, y: 100, width: 1000, height: 700 };
    window.maximized = true;
    window.close();
    await main.remembered();
    const again = await open();
    expect(again.window.options).toMatchObject({ x: 300, y: 100, width: 1000, height: 700 });
    expect(again.window.maximized).toBe(true);
  });

  test('whose place cannot be read opens in the middle, with a notice', async () => {
    writeFileSync(join(folder, 'window.json'), '{"bounds": "everywhere"}');
    const { window } = await open();
    expect(window.options).toMatchObject({ x: 320, y: 120, width: 1280, height: 800 });
    expect(notices).toMatchObject([expect.stringContaining('window.json could not be read')]);
    window.close();
  });

  test('changes its colour with the theme until it is closed', async () => {
    const { window } = await open();
    Object.assign(nativeTheme, { shouldUseDarkColors: false });
    nativeTheme.emit('updated');
    expect(window.calls).toEqual(['background #ffffff']);
    window.emit('closed');
    nativeTheme.emit('updated');
    expect(window.calls).toHaveLength(1);
    Object.assign(nativeTheme, { shouldUseDarkColors: true });
  });

  test('is brought to the front from wherever it is', async () => {
    const { main, window } = await open();
    window.minimized = true;
    focusWindow(main.window);
    expect(window.calls).toEqual(['restore', 'show', 'focus']);
  });

  test('does not depend on displays being there', async () => {
    vi.mocked(screen.getAllDisplays).mockReturnValueOnce([]);
    const { window } = await open();
    expect(window.options).toMatchObject({ width: 1280, height: 800 });
  });
});

describe('a place', () => {
  const left = { x: 0, y: 0, width: 1920, height: 1040 };
  const right = { x: 1920, y: -200, width: 2560, height: 1400 };
  test.each([
    [
      'is kept where it fits',
      { x: 100, y: 50, width: 1200, height: 800 },
      [left],
      { x: 100, y: 50, width: 1200, height: 800 },
    ],
    [
      'is kept on a second display',
      { x: 2500, y: -100, width: 1200, height: 800 },
      [left, right],
      { x: 2500, y: -100, width: 1200, height: 800 },
    ],
    [
      'of a display that is gone moves to the nearest',
      { x: 2500, y: -100, width: 1200, height: 800 },
      [left],
      { x: 720, y: 0, width: 1200, height: 800 },
    ],
    ['that is larger than the display shrinks', { x: 0, y: 0, width: 5000, height: 5000 }, [left], left],
    [
      'between two displays moves into one',
      { x: 1800, y: 0, width: 1000, height: 700 },
      [left, right],
      { x: 1920, y: 0, width: 1000, height: 700 },
    ],
    [
      'that is too small grows',
      { x: 10, y: 10, width: 5, height: 5 },
      [left],
      { x: 10, y: 10, width: 900, height: 600 },
    ],
    [
      'on a display smaller than the least begins at its corner',
      { x: 50, y: 50, width: 900, height: 600 },
      [{ x: 0, y: 0, width: 800, height: 500 }],
      { x: 0, y: 0, width: 900, height: 600 },
    ],
    ['that is not known is in the middle', null, [left], { x: 320, y: 120, width: 1280, height: 800 }],
  ])('%s', (_, wanted, areas, expected) => {
    expect(clampedBounds(wanted, areas)).toEqual(expected);
  });
});

test('the preload script that is built is one file that needs electron alone', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../out/preload/index.cjs'), 'utf8');
  expect([...text.matchAll(/require\(["'](.+?)["']\)/g)].map(([, name]) => name)).toEqual(['electron']);
  expect(text).not.toMatch(/^\s*(import|export)\s/m);
  expect(text.length).toBeLessThan(8000);
});
