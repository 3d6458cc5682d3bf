import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { platform, tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { TokenscopeError } from '../shared/errors.ts';

/**
 * Two processes that write the same data directory would overwrite each other's sessions. Whoever has it listens on a
 * local socket named after it: unlike a file with a process id, it is gone the moment its process is.
 */
export async function lockDataDirectory(dataDirectory: string): Promise<{ release(): void }> {
  const address = addressOf(resolve(dataDirectory));
  for (let attempt = 0; attempt < 2; attempt++) {
    const server = await listen(address);
    if (server !== undefined) return { release: () => void server.close() };
    if (await answers(address)) break;
    // What a process that ended hard has left behind.
    rmSync(address, { force: true });
  }
  throw new TokenscopeError('argument', 'Tokenscope is running already with this data directory', {
    path: dataDirectory,
    remedy: 'use the one that is open, or name another directory with --data-dir',
  });
}

function addressOf(directory: string): string {
  // Socket paths are limited to about 100 bytes, so the directory's own path may be too long.
  const name = `tokenscope-${createHash('sha256').update(`${userInfo().username}\0${directory}`).digest('hex').slice(0, 24)}`;
  return platform() === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

function listen(address: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(address, () => {
      // The lock alone is no reason to stay alive.
      server.unref();
      resolve(server);
    });
  });
}

function answers(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
