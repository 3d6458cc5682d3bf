import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from './support/app-copy.ts';
import { type Driver } from './support/driver.ts';
import { stateOf } from './support/state.ts';
import { endWithTests, openApp, testFolder } from './support/open-app.ts';
import { type SmallApp, writeSmallApp } from './support/small-app.ts';
import { launchStandIn, STAND_IN } from './support/stand-in-driver.ts';

/** Tests of the stand-in itself: a part of it that is more forgiving than Electron makes every other test worthless. */

/** Runs a small app to its end: what it has printed, and how it ended. */
async function runSmall(app: SmallApp): Promise<{ code: number | null; lines: string[]; errors: string }> {
  const folder = testFolder();
  const child = spawn(STAND_IN, [`--user-data-dir=${join(folder, 'user')}`, writeSmallApp(join(folder, 'app'), app)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithTests(child);
  let text = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (errors += piece));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, lines: text.trim().split('\n'), errors };
}

async function openSmall(app: SmallApp): Promise<Driver> {
  const folder = testFolder();
  return launchStandIn({ params: [], app: writeSmallApp(join(folder, 'app'), app), folder, env: {} });
}

test('takes the place of Electron where electron-vite starts it', async () => {
  const folder = testFolder();
  const vite = join(ROOT, 'node_modules/electron-vite/bin/electron-vite.js');
  const child = spawn(
    process.execPath,
    [vite, 'preview', '--skipBuild', '--', `--user-data-dir=${join(folder, 'user')}`],
    {
      cwd: ROOT,
      env: {
        ...process.env,
        ELECTRON_EXEC_PATH: STAND_IN,
        TOKENSCOPE_DATA_DIR: join(folder, 'data'),
        TOKENSCOPE_STAND_IN_MODULES: join(folder, 'modules'),
      },
      stdio: 'ignore',
      detached: true,
    },
  );
  const loaded = () => readFileSync(join(folder, 'modules'), 'utf8');
  await expect.poll(loaded, { timeout: 20_000 }).toContain('out/main/index.js');
  // The lock of the data directory is there as soon as the app is open.
  process.kill(-(child.pid ?? 0), 'SIGTERM');
  await new Promise((resolve) => child.once('close', resolve));
});

describe('ends', () => {
  test('in the order of Electron when its only window is closed', async () => {
    const { code, lines } = await runSmall({
      main: `
for (const name of ['before-quit', 'will-quit', 'quit', 'window-all-closed', 'ready']) app.on(name, () => {
  console.log(name);
  if (name === 'window-all-closed') app.quit();
});
console.log('evaluated', app.isReady());
void app.whenReady().then(async () => {
  servePage();
  const window = await openWindow();
  for (const name of ['close', 'closed']) window.on(name, () => console.log(name));
  window.close();
});
`,
    });
    expect(lines).toEqual([
      'evaluated false',
      'ready',
      'close',
      'closed',
      'window-all-closed',
      'before-quit',
      'will-quit',
      'quit',
    ]);
    expect(code).toBe(0);
  });

  test('in the order of Electron when it is told to, and only if no window stays', async () => {
    const { lines } = await runSmall({
      main: `
for (const name of ['before-quit', 'will-quit', 'quit', 'window-all-closed']) app.on(name, () => console.log(name));
void app.whenReady().then(async () => {
  servePage();
  const window = await openWindow();
  window.once('close', (event) => event.preventDefault());
  window.on('closed', () => console.log('closed'));
  app.quit();
  console.log('stays', window.isDestroyed());
  app.quit();
});
`,
    });
    expect(lines).toEqual(['before-quit', 'stays false', 'before-quit', 'closed', 'will-quit', 'quit']);
  });
});

describe('what it does not have', () => {
  test('throws by its name', async () => {
    const { lines } = await runSmall({
      main: `
const attempt = (work) => { try { work(); console.log('nothing'); } catch (error) { console.log(error.message); } };
attempt(() => app.getLocale());
attempt(() => app.setName('x'));
attempt(() => new BrowserWindow());
attempt(() => utilityProcess.fork('x'));
attempt(() => ipcMain.on('x', () => undefined));
void app.whenReady().then(() => {
  attempt(() => app.enableSandbox());
  attempt(() => protocol.registerSchemesAsPrivileged([]));
  attempt(() => protocol.handle('other', () => new Response('')));
  attempt(() => new BrowserWindow().setOpacity(1));
  app.exit(0);
});
`,
    });
    expect(lines).toEqual([
      'the stand-in has no app.getLocale',
      'the stand-in has no app.setName',
      'Cannot create BrowserWindow before app is ready',
      'utilityProcess cannot be created before app is ready',
      'the stand-in has no ipcMain.on',
      'app.enableSandbox() can only be called before app is ready',
      'protocol.registerSchemesAsPrivileged should be called before app is ready',
      'the stand-in handles privileged schemes only, and other is none',
      'the stand-in has no BrowserWindow.setOpacity',
    ]);
  });

  test('is missing from its module by name', async () => {
    const { code, errors } = await runSmall({ main: `import { Tray } from 'electron'; new Tray();` });
    expect(code).toBe(1);
    expect(errors).toContain("does not provide an export named 'Tray'");
  });
});

test('the two worlds of a page see copies of what the other has, and nothing more', async () => {
  const app = await openSmall({
    main: `void app.whenReady().then(() => {
  ipcMain.handle('echo', (_event, value) => value);
  ipcMain.handle('fail', () => { throw new TypeError('no'); });
  servePage();
  return openWindow();
});`,
    preload: `
const { contextBridge, ipcRenderer } = require('electron');
window.secret = 'of the preload script';
const own = { list: [1, 2] };
contextBridge.exposeInMainWorld('api', {
  own,
  nested: { echo: (value) => value },
  change: () => own.list.push(3),
  seen: () => own.list.length,
  called: (listener, value) => listener(value),
  later: async (value) => value,
  fails: () => { throw new RangeError('too far'); },
  invoke: (channel, value) => ipcRenderer.invoke(channel, value),
  isPlain: (value) => value instanceof Uint8Array && Object.getPrototypeOf(value) === Uint8Array.prototype,
  node: () => typeof require === 'function' && (() => { try { require('fs'); return 'has fs'; } catch (error) { return error.message; } })(),
});`,
  });
  await expect.poll(() => app.page.title()).toBe('small');
  const seen = await app.page.evaluate(async () => {
    const api = Reflect.get(window, 'api');
    const attempt = (work: () => unknown) => {
      try {
        return work();
      } catch (error) {
        return (error as Error).message;
      }
    };
    const rejected = (promise: Promise<unknown>) =>
      promise.then(
        () => 'fine',
        (error: Error) => error.message,
      );
    const given = { a: 1 };
    return {
      secret: 'secret' in window,
      frozen: [Object.isFrozen(api), Object.isFrozen(api.own.list), Object.isFrozen(api.nested)],
      assigned: attempt(() => Reflect.set(api, 'own', 1)),
      replaced: attempt(() => Reflect.defineProperty(window, 'api', { value: 1 })),
      copied: [api.change(), api.own.list.length, api.seen()],
      echoed: [api.nested.echo(given) === given, JSON.stringify(api.nested.echo(given))],
      called: api.called((value: number) => value + 1, 1),
      later: await api.later(new Date(0)),
      fails: attempt(() => api.fails()),
      symbol: attempt(() => api.nested.echo(Symbol('x'))),
      bytes: api.isPlain(new Uint8Array(2)),
      invoked: [...(await api.invoke('echo', new Uint8Array([1, 2])))],
      undefinedInside: Object.keys(await api.invoke('echo', { a: undefined })),
      handlerFails: await rejected(api.invoke('fail')),
      noHandler: await rejected(api.invoke('nothing')),
      node: api.node(),
      globals: Object.keys(window).filter((name) => /standIn|electron|secret/i.test(name)),
    };
  });
  expect(seen).toEqual({
    secret: false,
    frozen: [true, true, true],
    assigned: false,
    replaced: false,
    copied: [3, 2, 3],
    echoed: [false, '{"a":1}'],
    called: 2,
    later: new Date(0),
    fails: 'too far',
    symbol: 'An object could not be cloned.',
    bytes: true,
    invoked: [1, 2],
    undefinedInside: ['a'],
    handlerFails: "Error invoking remote method 'fail': TypeError: no",
    noHandler: "Error invoking remote method 'nothing': Error: No handler registered for 'nothing'",
    node: 'module not found: fs',
    globals: [],
  });
});

test('an app whose data another one has says so and ends', async () => {
  const folder = testFolder();
  const first = await openApp({ folder });
  const other = testFolder();
  const second = spawn(STAND_IN, [`--user-data-dir=${join(other, 'user')}`, ROOT], {
    env: { ...process.env, TOKENSCOPE_DATA_DIR: join(folder, 'data') },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  second.stderr.setEncoding('utf8').on('data', (piece: string) => (errors += piece));
  expect(await new Promise((resolve) => second.once('close', resolve))).toBe(1);
  expect(errors).toContain('Tokenscope cannot start');
  expect(errors).toContain('is running already with this data directory');
  expect(await stateOf(first.page)).toMatchObject({ tabs: [] });
});

test('nothing heavy is in the main process before a person asks for it', async () => {
  const folder = testFolder();
  const log = join(folder, 'modules');
  await openApp({ folder, env: { TOKENSCOPE_STAND_IN_MODULES: log } });
  const loaded = readFileSync(log, 'utf8').split('\n');
  // Before it are the stand-in itself and what unpacks its browser.
  const app = loaded.slice(loaded.findIndex((url) => url.endsWith('out/main/index.js')));
  const packages = app.flatMap((url) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []);
  // The unpacking goes on beside it.
  expect([...new Set(packages)].filter((name) => name !== 'tar-fs')).toEqual([]);
  // Nor code of ours that draws a report or reads a graph.
  const chunks = loaded.flatMap((url) => /out\/main\/(?:chunks\/)?([a-z-]+)/.exec(url)?.[1] ?? []);
  expect(chunks).toContain('index');
  for (const late of ['worker', 'cli', 'experiments', 'forward', 'load-model', 'synthesize', 'render']) {
    expect(chunks.map((name) => name.replace(/-$/, ''))).not.toContain(late);
  }
});
