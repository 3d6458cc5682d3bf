import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { lockFolder } from '../../../../main/download/folder-lock.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const folder = temporaryFolder();
const nameFor = (pid: number) => join(folder, `.download-${pid}-0123456789ab.lock`);
const content = (changes = {}) => JSON.stringify({ host: hostname(), started: null, ...changes });

afterEach(() => expect(readdirSync(folder)).toEqual([]));

/** A process that lives until it is told to go. */
function living() {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
  const end = async () => {
    const gone = once(child, 'exit');
    child.stdin.end();
    await gone;
  };
  return { pid: child.pid!, end };
}

test('is had by one at a time', async () => {
  const lock = await lockFolder(folder);
  await expect(lockFolder(folder)).rejects.toThrow(
    `another download is at work in this folder (process ${process.pid})`,
  );
  await lock.release();
  await (await lockFolder(folder)).release();
});

test('of many at the same moment at most one goes on', async () => {
  for (let round = 0; round < 20; round++) {
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => lockFolder(folder)));
    const had = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(had.length).toBeLessThanOrEqual(1);
    for (const lock of had) await lock.release();
  }
});

test('of another process counts while it lives, and is cleared away after it', async () => {
  const { pid, end } = living();
  writeFileSync(nameFor(pid), content());
  await expect(lockFolder(folder)).rejects.toMatchObject({ remedy: expect.stringContaining(nameFor(pid)) });
  await end();
  await (await lockFolder(folder)).release();
});

test('that was put down by an earlier process of our own id is stale', async () => {
  writeFileSync(nameFor(process.pid), content());
  await (await lockFolder(folder)).release();
});

test('that was never written to the end counts by its process alone', async () => {
  const { pid, end } = living();
  writeFileSync(nameFor(pid), '');
  await expect(lockFolder(folder)).rejects.toThrow(/another download/);
  await end();
  await (await lockFolder(folder)).release();
});

test.runIf(process.platform === 'linux')('of a process whose id another one has by now is stale', async () => {
  const { pid, end } = living();
  writeFileSync(nameFor(pid), content({ started: '1' }));
  await (await lockFolder(folder)).release();
  await end();
});

test('of another machine is believed', async () => {
  writeFileSync(nameFor(1), content({ host: 'elsewhere' }));
  await expect(lockFolder(folder)).rejects.toThrow(/another download/);
  const { rm } = await import('node:fs/promises');
  await rm(nameFor(1));
});
