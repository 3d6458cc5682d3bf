import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { TokenscopeError } from '../../shared/errors.ts';
import { diskError } from './part-file.ts';

const NAME = /^\.download-(\d+)-([0-9a-f]{12})\.lock$/;
const contentSchema = z.object({ host: z.string(), started: z.string().nullable() });

/** Locks of this very process. A file with our id that is not among them is of an earlier process that had it. */
const ours = new Set<string>();

/**
 * Two downloads into one folder would write the same files. Each puts down a file named after its process, then looks for
 * others: whoever sees a living one steps back. So of two at the same moment at most one goes on, with nothing to take
 * over that somebody else may be taking over as well.
 *
 * Throws a `download` error if another download is at work here.
 */
export async function lockFolder(directory: string): Promise<{ release(): Promise<void> }> {
  const name = `.download-${process.pid}-${randomBytes(6).toString('hex')}.lock`;
  const path = join(directory, name);
  const release = async (): Promise<void> => {
    await rm(path, { force: true });
    ours.delete(name);
  };
  ours.add(name);
  try {
    const content = { host: hostname(), started: await startOf(process.pid) };
    await writeFile(path, JSON.stringify(content), { flag: 'wx' }).catch((error: unknown) => {
      throw diskError(path, error);
    });
    for (const other of await readdir(directory)) {
      const pid = NAME.exec(other)?.[1];
      if (pid === undefined || other === name) continue;
      if (await isAlive(join(directory, other), other, Number(pid))) {
        throw new TokenscopeError('download', `another download is at work in this folder (process ${pid})`, {
          path: directory,
          remedy: `wait for it or stop it; if there is none, delete ${join(directory, other)}`,
        });
      }
      await rm(join(directory, other), { force: true });
    }
    return { release };
  } catch (error) {
    await release();
    throw error;
  }
}

export function isFolderLock(name: string): boolean {
  return NAME.test(name);
}

async function isAlive(path: string, name: string, pid: number): Promise<boolean> {
  const content = contentSchema.safeParse(await readJson(path)).data;
  // Processes of another machine cannot be seen from here.
  if (content !== undefined && content.host !== hostname()) return true;
  if (pid === process.pid) return ours.has(name);
  if (!isRunning(pid)) return false;
  // Ids are used again: the process that has it now may have started later.
  const started = await startOf(pid);
  return content === undefined || content.started === null || started === null || content.started === started;
}

async function readJson(path: string): Promise<unknown> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    return value;
  } catch {
    // Just being written, or its writer was ended before it could.
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process cannot be signalled, but it runs.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** When a process started, in the kernel's ticks; null where there is no /proc. */
async function startOf(pid: number): Promise<string | null> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold anything; the start is the 22nd field, the 20th behind it (proc(5)).
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
