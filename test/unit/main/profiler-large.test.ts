import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exportFileContent } from '../../../main/export-file.ts';
import { LARGE_RECORD_BYTES } from '../../../main/record-reader.ts';
import { forkNodeRecordWorker } from '../../../main/record-worker-host.ts';
import { type RunningServer, serve } from '../../../main/serve.ts';
import type { ExportRequest } from '../../../shared/export-formats.ts';
import { HeldWorkers, largeRecord } from '../../support/large-records.ts';
import { PageClient } from '../../support/page-client.ts';
import {
  messageOfOutcome,
  openedOf,
  openTestProfiler,
  plan,
  temporaryFolder,
  type TestProfiler,
  valueOf,
} from '../../support/profiler.ts';

/** Records so large that a process of their own reads them, in the application as a whole. */
const record = largeRecord();
let app: TestProfiler;
let server: RunningServer | undefined;
let held: HeldWorkers;
let folder: string;
let file: string;

beforeEach(async () => {
  folder = temporaryFolder();
  file = join(folder, 'large.json');
  writeFileSync(file, JSON.stringify(record));
  held = new HeldWorkers();
  app = await openTestProfiler({ dataDirectory: join(folder, 'data'), forkRecordWorker: held.fork });
});
afterEach(async () => {
  await app.profiler.close();
  await server?.close();
  server = undefined;
});

async function page(): Promise<PageClient> {
  server = await serve({ profiler: app.profiler, version: '0.0.0', rendererFolder: folder, port: 0 });
  const token = new URLSearchParams(new URL(server.url).hash.slice(1)).get('token') ?? '';
  const client = new PageClient(server.port, token);
  await client.welcomed;
  return client;
}

test('while one is opened the application answers, says what it is doing, and runs', async () => {
  const order: string[] = [];
  const client = await page();
  const opening = app.profiler.openRecord({ by: 'path', path: file }).then((outcome) => {
    order.push('opened');
    return valueOf(outcome)!;
  });
  await client.events.next((event) => event.type === 'state' && event.state.opening.length > 0);
  expect(valueOf(await client.request('getState'))).toMatchObject({ opening: ['large.json'], tabs: [] });
  order.push('answered');
  valueOf(await app.profiler.startRun({ model: 'demo', plan: plan() }));
  expect((await app.events.ended()).notice).toBeNull();
  order.push('run');
  held.release();
  const { id } = await opening;
  expect(order).toEqual(['answered', 'run', 'opened']);
  // Its memory is given back.
  expect(await Promise.all(held.ends)).toEqual(['was ended by SIGKILL']);
  expect(openedOf(await app.profiler.readRecord(id))).toEqual({ valid: true, record });
  expect(app.profiler.getState()).toMatchObject({ opening: [], recent: [{ name: 'large.json' }] });
  client.socket.close();
});

test('a small one is opened here and now', async () => {
  const small = join(folder, 'small.json');
  writeFileSync(
    small,
    JSON.stringify({ ...record, runs: [{ ...record.runs[0], samples: [record.runs[0]!.samples[0]] }] }),
  );
  valueOf(await app.profiler.openRecord({ by: 'path', path: small }));
  expect(held.started).toEqual([]);
});

test('a page is handed the bytes after their answer', async () => {
  held.release();
  const client = await page();
  const { id } = valueOf(await app.profiler.openRecord({ by: 'path', path: file }))!;
  const answer = await client.request('readRecord', id);
  expect(answer).toEqual({ ok: true, value: { valid: true, problems: [], bytes: readFileSync(file).length } });
  // The answer to the next large request comes after the bytes.
  await client.request('attachRun');
  expect(Buffer.concat(client.chunks).equals(readFileSync(file))).toBe(true);
  client.socket.close();
});

test('asked for twice at once it is read once and has one tab', async () => {
  const both = [1, 2].map(() => app.profiler.openRecord({ by: 'path', path: file }));
  await app.events.next((event) => event.type === 'state' && event.state.opening.length > 0);
  held.release();
  const [first, second] = (await Promise.all(both)).map(valueOf);
  expect(second).toEqual(first);
  expect(held.started).toHaveLength(1);
  expect(app.profiler.getState().tabs).toHaveLength(1);
});

test('what a page hands over is there again after a restart, saves as the bytes it came as, and exports', async () => {
  held.release();
  const bytes = Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), readFileSync(file)]);
  const { id } = valueOf(await app.profiler.openRecord({ by: 'bytes', name: 'dropped.json', bytes }))!;
  await app.profiler.close();
  app = await openTestProfiler({ dataDirectory: join(folder, 'data'), forkRecordWorker: held.fork });
  const reads = await Promise.all([1, 2].map(() => app.profiler.readRecord(id)));
  for (const read of reads) expect(openedOf(read)).toEqual({ valid: true, record });
  expect(held.started).toHaveLength(2);

  app.choose.save = join(folder, 'saved.json');
  valueOf(await app.profiler.saveRecord({ id, as: true }));
  expect(readFileSync(app.choose.save).equals(readFileSync(file))).toBe(true);
  const request: ExportRequest = { id, format: 'csv-samples', scale: 1, theme: 'light' };
  const { name, content } = valueOf(await app.profiler.exportContent(request));
  expect(name).toBe('saved-samples.csv');
  expect(Buffer.compare(content, await exportFileContent(record, request))).toBe(0);
});

test('one that cannot be true lists why, and is not saved', async () => {
  held.release();
  const [run] = record.runs;
  const samples = run!.samples.map((one, index) => (index === 3 ? { ...one, generated_tokens: 9 } : one));
  const wrong = { ...record, runs: [{ ...run, samples }] };
  writeFileSync(file, JSON.stringify(wrong));
  const { id } = valueOf(await app.profiler.openRecord({ by: 'path', path: file }))!;
  expect(openedOf(await app.profiler.readRecord(id))).toMatchObject({
    valid: false,
    problems: [{ path: 'runs[0].samples[3]', reason: 'Token count mismatch' }],
    readable: wrong,
  });
  expect(app.profiler.getState().tabs).toMatchObject([{ id, valid: false }]);
  expect(messageOfOutcome(await app.profiler.saveRecord({ id, as: true }))).toContain('refused');
});

test('a process that fails leaves no tab, a file as it was, and its place on the recent list', async () => {
  await app.profiler.close();
  let heapMegabytes = 1000;
  app = await openTestProfiler({
    dataDirectory: join(folder, 'data'),
    forkRecordWorker: () => forkNodeRecordWorker(heapMegabytes),
  });
  const many = JSON.stringify(largeRecord({ limits: 'x'.repeat(40 * LARGE_RECORD_BYTES) }));
  writeFileSync(file, many);
  const { id } = valueOf(await app.profiler.openRecord({ by: 'path', path: file }))!;
  await app.profiler.closeRecord(id);
  heapMegabytes = 32;
  const [recent] = app.profiler.getState().recent;
  expect(await app.profiler.openRecord({ by: 'recent', id: recent!.id })).toEqual({
    ok: false,
    error: {
      code: 'worker',
      message: 'the record could not be read: the process that reads it ran out of memory',
      path: expect.stringMatching(/large\.json$/),
      remedy: 'its file is as it was; close other programs and open it again',
    },
  });
  expect(app.profiler.getState()).toMatchObject({ tabs: [], opening: [], recent: [recent] });
  expect(readFileSync(file, 'utf8') === many).toBe(true);
  expect(readdirSync(join(folder, 'data', 'records'))).toEqual([]);
});

test('the end of the application ends the process that reads', async () => {
  const opening = app.profiler.openRecord({ by: 'path', path: file });
  await app.events.next((event) => event.type === 'state' && event.state.opening.length > 0);
  await app.profiler.close();
  expect(messageOfOutcome(await opening)).toBe('the application is closing');
  expect(await Promise.all(held.ends)).toEqual(['was ended by SIGKILL']);
});
