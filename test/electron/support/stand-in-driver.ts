import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';
import { decode, encode } from '../stand-in/codec.ts';
import type { FromTest, ToTest } from '../stand-in/main/control.ts';
import type { Driver, LaunchOptions } from './driver.ts';

export const STAND_IN = join(import.meta.dirname, '../stand-in/electron');

export async function launchStandIn(options: LaunchOptions): Promise<Driver> {
  const { endpoint, ...app } = await startStandIn(options);
  const browser = await chromium.connectOverCDP(endpoint, { noDefaults: true });
  const [context] = browser.contexts();
  if (context === undefined) throw new Error('the browser has no window');
  const page = context.pages()[0] ?? (await context.waitForEvent('page'));
  return { page, ...app };
}

/** The app without anybody who looks at its page, and where one may look. */
export async function startStandIn({
  params,
  app,
  folder,
  env,
}: LaunchOptions): Promise<Omit<Driver, 'page'> & { endpoint: string }> {
  const switches = [`--user-data-dir=${join(folder, 'user')}`];
  const all = { ...process.env, TOKENSCOPE_DATA_DIR: join(folder, 'data'), ...env };
  const socketPath = join(folder, `control-${process.pid}-${starts++}.sock`);
  const control = waitForApp(socketPath);
  const child = spawn(STAND_IN, [...switches, app, ...params], {
    env: { ...all, TOKENSCOPE_STAND_IN_CONTROL: socketPath },
    stdio: ['ignore', 'ignore', 'pipe'],
    // A group of its own, so that its browser can be ended with it.
    detached: true,
  });
  const errors = collect(child);
  const exited = new Promise<number | null>((resolve) => {
    child.once('exit', (code, signal) => {
      if (signal !== 'SIGKILL' && errors() !== '') console.error(errors());
      resolve(code);
    });
  });
  const early = exited.then((code) => {
    throw new Error(`the app ended with ${code} before it was ready: ${errors()}`);
  });
  const { ask, endpoint } = await Promise.race([control, early]);
  early.catch(() => undefined);
  return {
    endpoint,
    evaluate: ((work: unknown, arg: unknown) =>
      ask({ do: 'evaluate', source: String(work), arg })) as Driver['evaluate'],
    drop: async (paths) => void (await ask({ do: 'drop', paths, x: 400, y: 300 })),
    startAgain: (more) =>
      new Promise((resolve) => {
        spawn(STAND_IN, [...switches, app, ...more], { env: all, stdio: 'ignore' }).once('exit', () => resolve());
      }),
    exited,
    kill: () => endGroup(child),
  };
}

let starts = 0;

function endGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended in the meantime.
  }
}

type Ask = (
  message: Omit<Extract<FromTest, { do: 'evaluate' }>, 'id'> | Omit<Extract<FromTest, { do: 'drop' }>, 'id'>,
) => Promise<unknown>;

/** The app calls back on a socket once its browser is there. */
function waitForApp(path: string): Promise<{ ask: Ask; endpoint: string }> {
  return new Promise((resolve) => {
    const server = createServer((socket) => {
      server.close();
      const waiting = new Map<number, (message: Extract<ToTest, { type: 'answer' }>) => void>();
      const ask = askOver(socket, waiting);
      createInterface({ input: socket }).on('line', (line) => {
        const message = decode(line) as ToTest;
        if (message.type === 'up') resolve({ ask, endpoint: message.endpoint });
        else waiting.get(message.id)?.(message);
      });
      socket.on('error', () => undefined);
    });
    server.listen(path);
    server.unref();
  });
}

function askOver(socket: Socket, waiting: Map<number, (message: Extract<ToTest, { type: 'answer' }>) => void>): Ask {
  let next = 1;
  // An app that ends does not answer any more.
  socket.once('close', () => {
    for (const [id, answer] of [...waiting]) answer({ type: 'answer', id, ok: false, message: 'the app has ended' });
  });
  return (message) =>
    new Promise((resolve, reject) => {
      const id = next++;
      waiting.set(id, (answer) => {
        waiting.delete(id);
        if (answer.ok) resolve(answer.value);
        else reject(new Error(answer.message));
      });
      socket.write(`${encode({ id, ...message })}\n`);
    });
}

function collect(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  return () => text;
}
