import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DEMO_MODEL, SAMPLE_RECORD } from '../../../../main/app-paths.ts';
import { PageClient } from '../../../support/page-client.ts';
import { longPlan, temporaryFolder, valueOf } from '../../../support/profiler.ts';

const CLI = join(import.meta.dirname, '../../../../out/main/cli.js');
let dataDirectory: string;
const started: ChildProcess[] = [];
beforeEach(() => {
  dataDirectory = join(temporaryFolder(), 'data');
});
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

interface Served {
  child: ChildProcess;
  page: PageClient;
  ended: Promise<unknown[]>;
}

/** The command as a process of its own, and a page that is connected to the address it printed. */
async function serve(...args: string[]): Promise<Served> {
  const child = spawn(process.execPath, [CLI, 'serve', '--data-dir', dataDirectory, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(child);
  const ended = once(child, 'exit');
  let printed = '';
  for await (const part of child.stdout) {
    printed += String(part);
    if (printed.includes('\n')) break;
  }
  const url = new URL(printed.trim());
  expect(url.hostname).toBe('127.0.0.1');
  const page = new PageClient(Number(url.port), new URLSearchParams(url.hash.slice(1)).get('token'));
  await page.welcomed;
  return { child, page, ended };
}

test('prints its address, opens what it was given, and ends at Ctrl-C with the run that was going on kept', async () => {
  const { child, page, ended } = await serve(SAMPLE_RECORD, '--model', DEMO_MODEL);
  expect(valueOf(await page.request('getState'))).toMatchObject({ tabs: [{ name: 'live-run.json' }], host: 'browser' });
  valueOf(await page.request('startRun', { model: 'demo', plan: longPlan() }));
  await page.events.tokens(50);
  child.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
  expect((await page.closed).code).toBe(4410);

  const again = await serve();
  const { tabs } = valueOf(await again.page.request('getState'));
  expect(tabs).toMatchObject([{ name: 'live-run.json' }, { unsaved: true, valid: true }]);
  expect(valueOf(await again.page.request('readRecord', tabs[1]!.id)).record.status).toBe('cancelled');
});

test('after a crash in the middle of a run opens what had been measured, once', async () => {
  const { child, page, ended } = await serve();
  valueOf(await page.request('startRun', { model: 'demo', plan: longPlan() }));
  await page.events.tokens(500);
  child.kill('SIGKILL');
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(readdirSync(join(dataDirectory, 'journal'))).toHaveLength(1);

  const again = await serve();
  const { tabs } = valueOf(await again.page.request('getState'));
  expect(tabs).toMatchObject([{ unsaved: true, valid: true }]);
  await again.page.events.next((event) => event.type === 'notice' && event.message.includes('were recovered'));
  const { record } = valueOf(await again.page.request('readRecord', tabs[0]!.id));
  expect(record.status).toBe('partial');
  const told = page.events.of('run_event').flatMap(({ event }) => (event.type === 'tokens' ? event.ids : []));
  const kept = record.runs[0]!.samples.flatMap((sample) => sample.generated_token_ids);
  expect(kept.slice(0, told.length)).toEqual(told);
  expect(readdirSync(join(dataDirectory, 'journal'))).toEqual([]);
});

test('is not started twice for one data directory', async () => {
  await serve();
  const second = spawn(process.execPath, [CLI, 'serve', '--data-dir', dataDirectory], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  started.push(second);
  let words = '';
  second.stderr.on('data', (part) => {
    words += String(part);
  });
  expect(await once(second, 'exit')).toEqual([1, null]);
  expect(words).toMatch(/^tokenscope: .*is running already with this data directory.*\n$/);
});
