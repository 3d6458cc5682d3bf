import { mkdirSync, writeFileSync } from 'node:fs';
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { dialog, Menu, utilityProcess } from 'electron';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { confirmQuit, quitQuestion, systemDialogs } from '../../../main/dialogs.ts';
import { forkElectronWorker } from '../../../main/electron-worker.ts';
import { installMenu, menuTemplate } from '../../../main/menu.ts';
import { filesOfCommandLine } from '../../../main/open-paths.ts';
import { commandNamed, COMMANDS } from '../../../shared/commands.ts';
import { temporaryFolder } from '../../support/profiler.ts';

vi.mock('electron', async () => (await import('../../support/electron-mock.ts')).electronMock());

beforeEach(() => void vi.clearAllMocks());

describe('the command line', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'a.json'), '');
  writeFileSync(join(folder, 'b c.json'), '');
  mkdirSync(join(folder, 'folder'));
  const files = (...argv: string[]) => filesOfCommandLine(['/opt/tokenscope', ...argv], folder, true);

  test('names files, by whole paths or by ones that start where it was typed', () => {
    expect(files('a.json', join(folder, 'b c.json'))).toEqual([join(folder, 'a.json'), join(folder, 'b c.json')]);
    expect(files('./folder/../a.json')).toEqual([join(folder, 'a.json')]);
  });
  test('has flags, folders and names of nothing, which are no files', () => {
    expect(files('--inspect', '--allow-file-access-from-files', '-a.json', 'folder', 'none.json', '', '.')).toEqual([]);
  });
  test('of a start from the sources names the app first', () => {
    expect(filesOfCommandLine(['electron', '.', 'a.json'], folder, false)).toEqual([join(folder, 'a.json')]);
    expect(filesOfCommandLine(['electron', 'a.json'], folder, false)).toEqual([]);
  });
});

describe('dialogs', () => {
  async function open(folder = temporaryFolder()) {
    return {
      folder,
      dialogs: await systemDialogs(
        folder,
        'stamp',
        () => undefined,
        () => undefined,
      ),
    };
  }
  const chosen = (path: string) =>
    vi.mocked(dialog.showOpenDialog).mockResolvedValueOnce({ canceled: false, filePaths: [path] });

  test('begin in the documents, then where the last file was, also after a restart', async () => {
    const { folder, dialogs } = await open();
    chosen('/somewhere/a.json');
    expect(await dialogs.openRecord()).toBe('/somewhere/a.json');
    vi.mocked(dialog.showSaveDialog).mockResolvedValueOnce({ canceled: false, filePath: '/other/run.json' });
    expect(await dialogs.saveRecord('run.json')).toBe('/other/run.json');
    await vi.waitFor(async () => {
      const again = await open(folder);
      chosen('/model');
      await again.dialogs.openFolder();
      expect(vi.mocked(dialog.showOpenDialog).mock.lastCall).toMatchObject([{ defaultPath: '/other' }]);
    });
    expect(vi.mocked(dialog.showOpenDialog).mock.calls[0]).toMatchObject([
      { defaultPath: '/documents', properties: ['openFile'] },
    ]);
    expect(vi.mocked(dialog.showSaveDialog).mock.calls[0]).toMatchObject([
      { defaultPath: join('/somewhere', 'run.json') },
    ]);
  });

  test('ask before a file is replaced, on Linux too, and name the kind of an export', async () => {
    const { dialogs } = await open();
    vi.mocked(dialog.showSaveDialog).mockClear().mockResolvedValue({ canceled: false, filePath: '/x/run.trace.json' });
    await dialogs.saveRecord('run.json');
    const type = { label: 'Perfetto trace', ending: '.trace.json' };
    expect(await dialogs.saveExport('run.trace.json', type)).toBe('/x/run.trace.json');
    const asked = vi.mocked(dialog.showSaveDialog).mock.calls.map(([options]) => options);
    expect(asked).toMatchObject([
      { properties: ['showOverwriteConfirmation'] },
      { properties: ['showOverwriteConfirmation'], filters: [{ name: 'Perfetto trace', extensions: ['json'] }] },
    ]);
  });

  test('that are declined give nothing and change nothing', async () => {
    const { dialogs } = await open();
    vi.mocked(dialog.showOpenDialog).mockResolvedValue({ canceled: true, filePaths: [] });
    vi.mocked(dialog.showSaveDialog).mockResolvedValue({ canceled: true, filePath: '' });
    expect([await dialogs.openRecord(), await dialogs.openFolder(), await dialogs.saveRecord('x')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('ask before quitting if a run is going on or records are unsaved, and only then', () => {
    expect(quitQuestion(undefined, 0, 0)).toBeUndefined();
    expect(quitQuestion('standard suite', 0, 0)?.message).toContain('standard suite');
    expect(quitQuestion(undefined, 2, 0)?.detail).toBe(
      '2 records are not saved as a file. What was measured is kept and will be open again the next time.',
    );
    expect(quitQuestion(undefined, 2, 1)?.detail).toBe(
      '2 records are not saved as a file. One could not be kept on the disk either and will be lost.',
    );
    vi.mocked(dialog.showMessageBoxSync).mockReturnValueOnce(1);
    expect(confirmQuit({} as never, { message: '', detail: '' })).toBe(false);
    expect(vi.mocked(dialog.showMessageBoxSync).mock.lastCall?.at(1)).toMatchObject({ defaultId: 1, cancelId: 1 });
    expect(confirmQuit({} as never, { message: '', detail: '' })).toBe(true);
  });
});

describe.each(['linux', 'darwin', 'win32'] as const)('the menu on %s', (platform) => {
  const run = vi.fn();
  const items = menuTemplate(run, platform).flatMap((menu) => [
    menu,
    ...(Array.isArray(menu.submenu) ? menu.submenu : []),
  ]);

  test('has the labels and keys of the table, and runs its commands', () => {
    const commands = items.filter(({ id }) => id !== undefined);
    expect(commands.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['open', 'save', 'save-as', 'close-tab', 'run', 'keys']),
    );
    for (const { id, label, click } of commands) {
      const command = COMMANDS.find((command) => command.id === id)!;
      expect(label).toBe(commandNamed(command.id).label);
      (click as () => void)();
      expect(run).toHaveBeenLastCalledWith(id);
    }
    expect(items.find(({ id }) => id === 'save-as')?.accelerator).toBe('CmdOrCtrl+Shift+S');
    // Keys that a text field needs are the window's to handle.
    expect(items.find(({ id }) => id === 'run')?.accelerator).toBeUndefined();
  });

  test('takes no key twice, and not the ones of "close the tab" for the window', () => {
    const keys = items.flatMap(({ accelerator }) => (accelerator === undefined ? [] : [accelerator]));
    expect(new Set(keys).size).toBe(keys.length);
    expect(items.map(({ role }) => role)).not.toContain('close');
    expect(items.map(({ role }) => role)).not.toContain('windowMenu');
    expect(items.map(({ role }) => role)).not.toContain('toggleDevTools');
  });
});

test('the menu is installed', () => {
  installMenu(() => undefined);
  expect(Menu.setApplicationMenu).toHaveBeenCalledOnce();
});

describe('the worker under Electron', () => {
  class FakeChild extends EventEmitter {
    pid: number | undefined;
    postMessage = vi.fn();
    kill = vi.fn(() => true);
  }
  function fork() {
    const child = new FakeChild();
    vi.mocked(utilityProcess.fork).mockReturnValueOnce(child as never);
    return { child, host: forkElectronWorker('/worker.js') };
  }

  test('is a named utility process whose messages go both ways', () => {
    const { child, host } = fork();
    expect(utilityProcess.fork).toHaveBeenCalledWith('/worker.js', [], {
      serviceName: 'Tokenscope inference',
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const heard = vi.fn();
    host.port.onMessage(heard);
    child.emit('message', { type: 'ready' });
    host.port.post({ type: 'quit' });
    expect(heard).toHaveBeenCalledWith({ type: 'ready' });
    expect(child.postMessage).toHaveBeenCalledWith({ type: 'quit' });
  });

  test.each([
    [0, 'ended by itself'],
    [9, 'ended with exit code 9'],
  ])('that ends with %d says: %s', (code, words) => {
    const { child, host } = fork();
    const ended = vi.fn();
    host.onExit(ended);
    child.emit('exit', code);
    expect(ended).toHaveBeenCalledExactlyOnceWith(words);
  });

  test('that ran out of memory says so rather than its code', () => {
    const { child, host } = fork();
    const ended = vi.fn();
    host.onExit(ended);
    child.emit('error', 'FatalError', 'v8::ToLocalChecked', '{}');
    child.emit('exit', 5);
    expect(ended).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('ran out of memory'));
  });

  test('is ended even before it has a process', () => {
    const { child, host } = fork();
    host.kill();
    expect(child.kill).toHaveBeenCalledOnce();
  });
});
