import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SAMPLE_RECORD } from '../../../main/app-paths.ts';
import { MAX_RECORD_BYTES } from '../../../main/record-files.ts';
import { type RunningServer, serve } from '../../../main/serve.ts';
import { applyEvent } from '../../../shared/record-draft.ts';
import { PageClient, rawRequest } from '../../support/page-client.ts';
import {
  longPlan,
  openTestProfiler,
  plan,
  temporaryFolder,
  type TestProfiler,
  valueOf,
} from '../../support/profiler.ts';

const SECRET = 'not for pages';
let opened: TestProfiler;
let server: RunningServer;
let token: string;
const clients: PageClient[] = [];

beforeAll(async () => {
  const folder = temporaryFolder();
  const rendererFolder = join(folder, 'renderer');
  mkdirSync(join(rendererFolder, 'assets'), { recursive: true });
  writeFileSync(join(rendererFolder, 'index.html'), '<!doctype html><title>page</title>');
  writeFileSync(join(rendererFolder, 'assets', 'main.js'), 'export {};');
  writeFileSync(join(rendererFolder, 'assets', 'odd name.css'), '');
  writeFileSync(join(folder, 'secret.json'), SECRET);
  writeFileSync(join(rendererFolder, 'notes.md'), SECRET);
  mkdirSync(join(folder, 'renderer-beside'));
  writeFileSync(join(folder, 'renderer-beside', 'secret.js'), SECRET);
  symlinkSync(join(folder, 'secret.json'), join(rendererFolder, 'link.json'));
  symlinkSync(folder, join(rendererFolder, 'out'));
  opened = await openTestProfiler();
  server = await serve({ profiler: opened.profiler, version: '0.0.0', rendererFolder, port: 0 });
  token = new URLSearchParams(new URL(server.url).hash.slice(1)).get('token') ?? '';
});
afterAll(async () => {
  for (const { socket } of clients) socket.terminate();
  await opened.profiler.close();
  await server.close();
});

function connect(...[given, options]: [token?: string | null, options?: ConstructorParameters<typeof PageClient>[2]]) {
  const client = new PageClient(server.port, given === undefined ? token : given, options);
  clients.push(client);
  return client;
}
async function page(): Promise<PageClient> {
  const client = connect();
  await client.welcomed;
  return client;
}

describe('files', () => {
  test('the page comes with a policy that allows its own files and its own socket alone', async () => {
    const { status, headers, body } = await rawRequest(server.port, '/');
    expect([status, body]).toEqual([200, '<!doctype html><title>page</title>']);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
    });
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; " +
        `connect-src 'self' ws://127.0.0.1:${server.port}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect((await rawRequest(server.port, '/assets/main.js?v=1')).status).toBe(200);
    expect((await rawRequest(server.port, '/assets/odd%20name.css')).status).toBe(200);
  });

  test.each([
    '/../secret.json',
    '/..%2fsecret.json',
    '/%2e%2e/secret.json',
    '/%2e%2e%2fsecret.json',
    '/assets/../../secret.json',
    '/assets/%2e%2e/%2e%2e/secret.json',
    '/..\\secret.json',
    '/..%5csecret.json',
    '/%252e%252e/secret.json',
    '//etc/passwd',
    '/etc/passwd',
    '/../renderer-beside/secret.js',
    '/link.json',
    '/out/secret.json',
    '/index.html%00.js',
    '/%00',
    '/%',
    '/%ff',
    '/assets',
    '/assets/',
    '/notes.md',
    'http://elsewhere.example/index.html',
    '*',
  ])('%s gives nothing', async (path) => {
    const { status, body, headers } = await rawRequest(server.port, path);
    expect([400, 404]).toContain(status);
    expect(body).toBe('');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
  });

  test.each(['evil.example', 'evil.example:80', '127.0.0.1', '127.0.0.1:1', 'localhost.evil.example'])(
    'a request for the host %s is refused: its name may have been made to lead here',
    async (host) => {
      expect(await rawRequest(server.port, '/', { host })).toMatchObject({ status: 403, body: '' });
    },
  );

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('%s is refused', async (method) => {
    expect((await rawRequest(server.port, '/', { method })).status).toBe(405);
  });
});

describe('the socket', () => {
  test.each([
    ['another origin', { origin: 'http://evil.example' }],
    ['another port of this machine', { origin: 'http://127.0.0.1:1' }],
    ['the origin of a file', { origin: 'null' }],
    ['no origin', { origin: '' }],
    ['a secure origin, which is another', { origin: 'https://127.0.0.1' }],
    ['another host', { host: 'evil.example', origin: 'http://evil.example' }],
    ['another path', { path: '/' }],
  ])('is not opened for %s', async (_, options) => {
    await expect(connect(token, options).welcomed).rejects.toThrow('403');
  });

  test('is not opened for a name of somebody else’s that leads here, whatever the page says it is', async () => {
    const own = `http://127.0.0.1:${server.port}`;
    await expect(connect(token, { host: 'evil.example', origin: own }).welcomed).rejects.toThrow('403');
    await expect(connect(token, { host: 'localhost.evil.example', origin: own }).welcomed).rejects.toThrow('403');
  });

  test.each([
    ['a wrong token', (client: PageClient) => client.send({ type: 'hello', token: 'x' })],
    ['an empty token', (client: PageClient) => client.send({ type: 'hello', token: '' })],
    ['a request before the token', (client: PageClient) => client.send({ type: 'request', id: 0, method: 'getState' })],
    ['bytes before the token', (client: PageClient) => client.socket.send(new Uint8Array(8))],
    ['noise', (client: PageClient) => client.socket.send('{')],
  ])('is closed for %s, and tells nothing', async (_, attack) => {
    const client = connect(null);
    client.socket.on('open', () => attack(client));
    expect((await client.closed).code).toBe(4401);
    expect(client.heard).toBe(0);
  });

  test.each([
    ['a method that there is not', { type: 'request', id: 1, method: 'constructor' }],
    ['a message of no type', { kind: 'request' }],
    ['a list', []],
    ['null', null],
  ])('is closed for %s', async (_, message) => {
    const client = await page();
    client.send(message);
    expect((await client.closed).code).toBe(4400);
  });

  test.each([
    ['a path', 'openRecord', { by: 'path', path: SAMPLE_RECORD }],
    ['bytes in the message', 'openRecord', { by: 'bytes', name: 'x', bytes: {} }],
    ['a field too many', 'openRecord', { by: 'sample', path: '/etc/passwd' }],
    ['an id that is none', 'readRecord', 7],
    ['no parameters', 'startRun', undefined],
    ['a plan that is none', 'startRun', { model: 'demo', plan: { runs: [] } }],
    ['a setting that there is not', 'updateSettings', { theme: 'dark', admin: true }],
    ['a folder', 'addModel', { by: 'path', path: '/' }],
  ])('%s is refused in words', async (_, method, params) => {
    const client = await page();
    const outcome = await client.request(method, params);
    expect(outcome).toMatchObject({ ok: false, error: { message: expect.any(String) } });
    expect(opened.profiler.getState()).toMatchObject({ tabs: [], run: null });
    client.socket.close();
  });

  test('a file is handed over in pieces, opened, and comes back the same when it is saved', async () => {
    const client = await page();
    const bytes = readFileSync(SAMPLE_RECORD);
    const upload = await client.request('upload', { bytes: bytes.length });
    const wanted = { by: 'upload', upload: valueOf(upload).id, name: 'mine.json' };
    expect(await client.sendBytes(bytes.subarray(0, 10_000))).toBe(10_000);
    expect(await client.request('openRecord', wanted)).toMatchObject({ ok: false });
    expect(await client.sendBytes(bytes.subarray(10_000))).toBe(bytes.length);
    const tab = await client.request('openRecord', wanted);
    const { id } = valueOf(tab);
    expect(await client.request('readRecord', id)).toEqual({
      ok: true,
      value: { valid: true, record: JSON.parse(bytes.toString()) },
    });
    // It is a file of the person's already; a copy has to be asked for.
    expect(await client.request('exportRecord', { id, as: false })).toEqual({ ok: true });
    const exported = await client.request('exportRecord', { id, as: true });
    expect(exported).toEqual({ ok: true, value: { name: 'mine.json', bytes: expect.any(Number) } });
    // The answer to the next request comes after the bytes.
    expect(await client.request('exportedRecord', { id, name: 'mine (1).json' })).toEqual({ ok: true });
    const content = Buffer.concat(client.chunks);
    expect(content).toHaveLength(valueOf(exported).bytes);
    expect(JSON.parse(content.toString())).toEqual(JSON.parse(bytes.toString()));
    expect(opened.profiler.getState().tabs).toMatchObject([{ name: 'mine (1).json', unsaved: false }]);
    await client.request('closeRecord', id);
    client.socket.close();
  });

  test('a file beyond the limit is refused before it is sent, and bytes nobody announced end the connection', async () => {
    const client = await page();
    const outcome = await client.request('upload', { bytes: MAX_RECORD_BYTES + 1 });
    expect(outcome).toMatchObject({ ok: false, error: { message: expect.stringContaining('at most') } });
    await client.request('upload', { bytes: 10 });
    client.socket.send(new Uint8Array(11));
    expect((await client.closed).code).toBe(4400);
  });

  test('a run is followed by every page, and a page that comes later has all of it', async () => {
    const first = await page();
    expect(await first.request('startRun', { model: 'demo', plan: longPlan() })).toEqual({ ok: true });
    await first.events.tokens(200);
    const second = await page();
    const attached = await second.request('attachRun');
    const draft = valueOf(attached);
    const before = second.events.all.length;
    await first.events.tokens(600);
    expect(await second.request('cancelRun')).toEqual({ ok: true });
    const [ended] = await Promise.all([first.events.ended(), second.events.ended()]);
    for (const { event } of second.events.all.slice(before).filter((event) => event.type === 'run_event')) {
      applyEvent(draft, event);
    }
    const { record } = valueOf(await second.request('readRecord', ended.id));
    expect(draft.samples).toEqual(record.runs.map(({ samples }) => samples));
    expect((await connect().welcomed) as unknown).toMatchObject({ last_run: { type: 'run_ended', id: ended.id } });
    await second.request('closeRecord', ended.id);
    first.socket.close();
    second.socket.close();
  });

  test('a page that does not read costs a bounded amount, and is up to date once it reads again', async () => {
    const client = await page();
    client.socket.pause();
    const text = 'x'.repeat(100_000);
    for (let index = 0; index < 1000; index++) {
      opened.profiler.emit({ type: 'notice', kind: 'info', message: `${index} ${text}` });
    }
    await opened.profiler.updateSettings({ theme: 'dark' });
    client.socket.resume();
    const isLast = (index: number) =>
      client.events.next((event) => event.type === 'notice' && event.message.startsWith(`${index} `));
    await isLast(0);
    await isLast(999);
    expect(client.events.of('notice').length).toBeLessThan(500);
    await client.events.next((event) => event.type === 'state' && event.state.settings.theme === 'dark');
    client.socket.close();
  });
});

test('a port that is taken is refused with what to do', async () => {
  const options = { profiler: opened.profiler, version: '0', rendererFolder: '/', port: server.port };
  await expect(serve(options)).rejects.toThrow(`port ${server.port} cannot be used`);
});

test('the end of the program ends its pages with a code of its own', async () => {
  const other = await openTestProfiler();
  const running = await serve({ profiler: other.profiler, version: '0', rendererFolder: '/', port: 0 });
  const own = new URLSearchParams(new URL(running.url).hash.slice(1)).get('token');
  const client = new PageClient(running.port, own);
  await client.welcomed;
  await other.profiler.startRun({ model: 'demo', plan: plan() });
  await other.profiler.close();
  await running.close();
  expect((await client.closed).code).toBe(4410);
});
