import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { decode, encode } from '../codec.ts';
import { StandInWindow } from './browser-window.ts';
import type { PageContents } from './web-contents.ts';

/** What a test tells the stand-in, and what it is told. */
export type FromTest =
  | { id: number; do: 'evaluate'; source: string; arg: unknown }
  | { id: number; do: 'drop'; paths: string[]; x: number; y: number };
export type ToTest =
  | { type: 'up'; pid: number; endpoint: string }
  | { type: 'answer'; id: number; ok: true; value: unknown }
  | { type: 'answer'; id: number; ok: false; message: string };

/** Lets a test look into this process: it runs functions of the test, as one does that drives a real Electron. */
export function listenToTest(socketPath: string, endpoint: string, electron: object): void {
  const socket = connect(socketPath);
  const tell = (message: ToTest) => socket.write(`${encode(message)}\n`);
  tell({ type: 'up', pid: process.pid, endpoint });
  createInterface({ input: socket }).on('line', (line) => {
    const message = decode(line) as FromTest;
    void obey(message, electron).then(
      (value) => tell({ type: 'answer', id: message.id, ok: true, value }),
      (error: unknown) => tell({ type: 'answer', id: message.id, ok: false, message: String(error) }),
    );
  });
  socket.on('error', () => undefined);
  // A test that is gone must leave nothing behind.
  socket.on('close', () => process.kill(process.pid, 'SIGKILL'));
  socket.unref();
}

async function obey(message: FromTest, electron: object): Promise<unknown> {
  if (message.do === 'drop') return firstPage().drop(message.paths, message.x, message.y);
  // oxlint-disable-next-line no-implied-eval -- a test sends its own function here as text, as Playwright does with Electron
  const work = new Function(`return (${message.source})`)() as (electron: object, arg: unknown) => unknown;
  return work(electron, message.arg);
}

function firstPage(): PageContents {
  const [window] = StandInWindow.getAllWindows() as unknown as { page: PageContents }[];
  if (window === undefined) throw new Error('there is no window');
  return window.page;
}
