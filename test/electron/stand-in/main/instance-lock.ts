import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What a second instance tells the first one. */
export interface Started {
  argv: string[];
  cwd: string;
  data: unknown;
}

export interface InstanceLock {
  held: boolean;
  /** Resolves when the first instance has been told; at once for the first itself. */
  handedOver: Promise<void>;
}

/** One instance for each folder of user data, known at once, as Electron's is. */
export function claimLock(folder: string, started: Started, onSecond: (second: Started) => void): InstanceLock {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'stand-in.lock');
  const socket = join(tmpdir(), `stand-in-${createHash('sha256').update(folder).digest('hex').slice(0, 20)}.sock`);
  if (!take(file)) return { held: false, handedOver: handOver(socket, started) };
  rmSync(socket, { force: true });
  const server = createServer({ allowHalfOpen: true }, (connection) => {
    let text = '';
    connection.setEncoding('utf8');
    connection.on('data', (piece) => (text += piece));
    connection.on('end', () => {
      onSecond(JSON.parse(text) as Started);
      connection.end('heard');
    });
    connection.on('error', () => undefined);
  });
  server.listen(socket);
  server.unref();
  process.on('exit', () => {
    rmSync(file, { force: true });
    rmSync(socket, { force: true });
  });
  return { held: true, handedOver: Promise.resolve() };
}

function take(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    if (isAlive(Number(readFileSync(file, 'utf8')))) return false;
    rmSync(file, { force: true });
    return take(file);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function handOver(socket: string, started: Started): Promise<void> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    connection.on('close', () => resolve());
    connection.on('error', () => resolve());
    connection.resume();
    connection.end(JSON.stringify(started));
  });
}
