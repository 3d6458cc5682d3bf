import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { app, clipboard, dialog, ipcMain } from 'electron';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SAMPLE_RECORD } from '../../../main/app-paths.ts';
import { lockDataDirectory } from '../../../main/data-lock.ts';
import { Shell } from '../../../main/shell.ts';
import {
  channelOf,
  EVENT_CHANNEL,
  type FromMain,
  type HostMethod,
  SUBSCRIBE_CHANNEL,
} from '../../../shared/channels.ts';
import type { AppState, HostEvent } from '../../../shared/host.ts';
import { FakeWindow } from '../../support/electron-mock.ts';
import { longPlan, temporaryFolder } from '../../support/profiler.ts';

/** An answer, whose parts a test looks at as it needs them. */
interface Answer {
  ok: boolean;
  value: { id: string } & AppState;
  error: { message: string };
}
vi.mock('electron', async () => (await import('../../support/electron-mock.ts')).electronMock());

const { handlers } = ipcMain as unknown as {
  handlers: Map<string, (event: unknown, ...params: unknown[]) => Promise<Answer>>;
};
let folder: string;
let shell: Shell;
beforeEach(() => {
  folder = temporaryFolder();
  vi.stubEnv('TOKENSCOPE_DATA_DIR', join(folder, 'data'));
  app.removeAllListeners();
  vi.clearAllMocks();
  FakeWindow.all.length = 0;
  shell = new Shell();
});
afterEach(async () => {
  vi.mocked(dialog.showMessageBoxSync).mockReturnValue(0);
  await quit();
});

/** The steps of main/index.ts, in its order. */
async function boot(): Promise<FakeWindow> {
  shell.claimInstance();
  shell.sandboxEveryPage();
  shell.guardEveryPage();
  shell.registerScheme();
  shell.listenForFiles();
  shell.listenForQuit();
  await shell.ready();
  await shell.lockData();
  await shell.openApplication();
  shell.denyPermissions();
  shell.serveFiles();
  shell.answerWindow();
  shell.installMenu();
  await shell.openWindow();
  shell.openNamedFiles(['/opt/tokenscope']);
  const [window] = FakeWindow.all;
  await invoke(SUBSCRIBE_CHANNEL);
  return window!;
}
function invoke(channel: string, params?: unknown) {
  const { webContents } = FakeWindow.all[0]!;
  const event = { sender: webContents, senderFrame: webContents.mainFrame };
  return handlers.get(channel)?.(event, ...(params === undefined ? [] : [params]));
}
const ask = (method: HostMethod, params?: unknown) => invoke(channelOf(method), params);
const state = async (): Promise<AppState> => (await ask('getState'))!.value;
function events(): HostEvent[] {
  return FakeWindow.all[0]!.webContents.sent.flatMap(([channel, message]) => {
    const told = message as FromMain;
    return channel === EVENT_CHANNEL && told.type === 'event' ? [told.event] : [];
  });
}
const heard = (fits: (event: HostEvent) => boolean) =>
  vi.waitFor(() => {
    const found = events().find(fits);
    if (found === undefined) throw new Error('not heard yet');
    return found;
  }, 20_000);

/** As Electron does it. True: nothing kept the app from ending. */
async function quit(): Promise<boolean> {
  if (app.listenerCount('before-quit') === 0) return true;
  const calls = vi.mocked(app.quit).mock.calls.length;
  const asked = vi.mocked(dialog.showMessageBoxSync).mock.results.length;
  let prevented = false;
  app.emit('before-quit', { preventDefault: () => (prevented = true) });
  if (!prevented) return true;
  const declined = () => vi.mocked(dialog.showMessageBoxSync).mock.results[asked]?.value === 1;
  await vi.waitFor(() => expect(declined() || vi.mocked(app.quit).mock.calls.length > calls).toBe(true), 20_000);
  return !declined();
}

describe('the shell', () => {
  test('boots in the order of its list, pages sandboxed before anything can open one', async () => {
    const source = readFileSync(join(import.meta.dirname, '../../../main/index.ts'), 'utf8');
    const steps = [...source.matchAll(/shell\.(\w+)\(\)\]/g)].map(([, name]) => name);
    expect(steps.slice(0, 6)).toEqual([
      'sandboxEveryPage',
      'guardEveryPage',
      'registerScheme',
      'listenForFiles',
      'listenForQuit',
      'ready',
    ]);
    const window = await boot();
    expect(app.enableSandbox).toHaveBeenCalledOnce();
    expect(window.loaded).toBe('app://tokenscope/index.html');
    expect(await state()).toMatchObject({ host: 'electron', tabs: [], run: null });
  });

  test('that is not the only one leaves the files to the first', () => {
    vi.mocked(app.requestSingleInstanceLock).mockReturnValueOnce(false);
    expect(shell.claimInstance()).toBe(false);
    expect(app.listenerCount('second-instance')).toBe(0);
  });

  test('says why it cannot start when the browser host has the data, and ends', async () => {
    const lock = await lockDataDirectory(join(folder, 'data'));
    const error: unknown = await shell.lockData().catch((error: unknown) => error);
    shell.fail('lock the data directory', error);
    expect(dialog.showErrorBox).toHaveBeenCalledWith(
      'Tokenscope cannot start',
      expect.stringContaining('is running already'),
    );
    expect(app.exit).toHaveBeenCalledWith(1);
    lock.release();
  });
});

describe('files', () => {
  test('that macOS names before the app is ready are opened when it is', async () => {
    shell.listenForFiles();
    const preventDefault = vi.fn();
    app.emit('open-file', { preventDefault }, SAMPLE_RECORD);
    expect(preventDefault).toHaveBeenCalledOnce();
    await boot();
    await heard(({ type }) => type === 'opened');
    expect((await state()).tabs).toMatchObject([{ name: 'live-run.json' }]);
  });

  test('of a second instance come to the front of the first', async () => {
    const window = await boot();
    app.emit('second-instance', {}, ['/opt/tokenscope', '--flag', 'live-run.json'], join(SAMPLE_RECORD, '..'));
    const opened = await heard(({ type }) => type === 'opened');
    expect((await state()).tabs).toMatchObject([{ id: (opened as { id: string }).id }]);
    expect(window.calls).toContain('focus');
  });

  test('that cannot be opened are a notice', async () => {
    await boot();
    app.emit('open-file', { preventDefault: () => undefined }, join(folder, 'none.json'));
    expect(await heard(({ type }) => type === 'notice')).toMatchObject({
      message: expect.stringContaining('none.json: there is no such file'),
    });
  });

  test('that are refused records open as such', async () => {
    await boot();
    writeFileSync(join(folder, 'bad.json'), '{}');
    app.emit('open-file', { preventDefault: () => undefined }, join(folder, 'bad.json'));
    await heard(({ type }) => type === 'opened');
    expect((await state()).tabs).toMatchObject([{ name: 'bad.json', valid: false }]);
  });
});

describe('quitting', () => {
  test('with nothing at stake asks nothing', async () => {
    const window = await boot();
    expect(window.close()).toBe(false);
    expect(app.quit).toHaveBeenCalledOnce();
    expect(await quit()).toBe(true);
    expect(dialog.showMessageBoxSync).not.toHaveBeenCalled();
  });

  test('during a run asks; declined, the run goes on; confirmed, it is stopped and kept for the next time', async () => {
    await boot();
    expect(await ask('startRun', { model: 'demo', plan: longPlan() })).toMatchObject({ ok: true });
    await heard((event) => event.type === 'run_event' && event.event.type === 'tokens');
    vi.mocked(dialog.showMessageBoxSync).mockReturnValueOnce(1);
    expect(await quit()).toBe(false);
    expect(vi.mocked(dialog.showMessageBoxSync).mock.lastCall?.at(1)).toMatchObject({
      message: 'A run is going on: test. Stop it and quit?',
    });
    expect((await state()).run?.phase).toBe('running');
    vi.mocked(dialog.showMessageBoxSync).mockReturnValueOnce(0);
    expect(await quit()).toBe(true);

    app.removeAllListeners();
    FakeWindow.all.length = 0;
    shell = new Shell();
    await boot();
    expect((await state()).tabs).toMatchObject([{ unsaved: true, valid: true }]);
  });
});

test('the report goes to the clipboard as a picture', async () => {
  await boot();
  const { value } = (await ask('openRecord', { by: 'sample' }))!;
  expect(await ask('copyPicture', { id: value.id, theme: 'dark', scale: 0.5 })).toEqual({ ok: true, value: undefined });
  const [items] = vi.mocked(clipboard.write).mock.calls[0]!;
  const picture = (items as unknown as { items: Record<string, Blob> }[])[0]!.items['image/png']!;
  expect(picture.type).toBe('image/png');
  expect([...new Uint8Array(await picture.slice(1, 4).arrayBuffer())]).toEqual([0x50, 0x4e, 0x47]);
});

test('a page that crashes is loaded again and told; one that does so again and again ends the app', async () => {
  const window = await boot();
  for (let crash = 0; crash < 3; crash++) window.webContents.emit('render-process-gone', {}, { reason: 'crashed' });
  expect(window.calls.filter((call) => call === 'reload')).toHaveLength(3);
  await invoke(SUBSCRIBE_CHANNEL);
  expect(events().filter(({ type }) => type === 'notice')).toHaveLength(3);
  window.webContents.emit('render-process-gone', {}, { reason: 'oom' });
  expect(dialog.showErrorBox).toHaveBeenCalledWith('The window has failed', expect.stringContaining('oom'));
});

test('a page that is being loaded again is told nothing until it asks to be', async () => {
  const window = await boot();
  window.webContents.emit('did-navigate');
  const before = events().length;
  await ask('updateSettings', { theme: 'dark' });
  expect(events()).toHaveLength(before);
});
