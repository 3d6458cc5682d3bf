import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, watch } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import chromium from '@sparticuz/chromium';
import { type Cdp, CdpConnection } from './cdp.ts';

/** The browser behind all windows. */
export interface Chromium {
  browser: Cdp;
  /** Talks to one page. */
  page(targetId: string): Promise<Cdp>;
  /** Where a test may look in as well: a WebSocket address. */
  endpoint(): Promise<string>;
  /** The first page is there from the start. */
  takeFirstPage(): Promise<string | undefined>;
  kill(): void;
}

const SWITCHES = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--no-zygote',
  '--remote-debugging-pipe',
  // A second way in, for the test that looks at the pages.
  '--remote-debugging-port=0',
  // Whether a window opens is for the app to say: windows that a page asks for are opened by us or not at all.
  '--block-new-web-contents',
  // Electron asks nobody before a page talks to this machine.
  '--disable-features=LocalNetworkAccessChecks',
  '--disable-background-networking',
  '--no-first-run',
];

/** Its own files go into a folder below `place`. */
export async function launchChromium(place: string): Promise<Chromium> {
  const executable = await chromium.executablePath();
  mkdirSync(place, { recursive: true });
  const folder = mkdtempSync(join(place, 'browser-'));
  const child = spawn(executable, [...SWITCHES, `--user-data-dir=${folder}`], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const kill = () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  process.on('exit', kill);
  const connection = connect(child);
  const browser = connection.session();
  await browser.send('Browser.getVersion');
  let first = true;
  return {
    browser,
    async page(targetId) {
      const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true });
      return connection.session(sessionId);
    },
    async endpoint() {
      const file = join(folder, 'DevToolsActivePort');
      // Written a moment after the pipes are open, and not at once as a whole.
      await new Promise<void>((resolve) => {
        const look = () => {
          if (!existsSync(file) || !readFileSync(file, 'utf8').includes('\n')) return;
          watcher.close();
          resolve();
        };
        const watcher = watch(folder, look);
        look();
      });
      const [port = '', path = ''] = readFileSync(file, 'utf8').split('\n');
      return `ws://127.0.0.1:${port}${path}`;
    },
    async takeFirstPage() {
      if (!first) return undefined;
      first = false;
      const { targetInfos } = await browser.send('Target.getTargets');
      return targetInfos.find(({ type }) => type === 'page')?.targetId;
    },
    kill,
  };
}

function connect(child: ChildProcess): CdpConnection {
  const [, , , writable, readable] = child.stdio;
  if (!(writable instanceof Writable && readable instanceof Readable)) throw new Error('the browser has no pipes');
  return new CdpConnection(writable, readable);
}
