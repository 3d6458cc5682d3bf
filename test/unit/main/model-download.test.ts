import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LONGEST_RETRY_AFTER_MS, MOST_ATTEMPTS, STALL_MS } from '../../../main/download/retry.ts';
import { hubAccess } from '../../../main/download/hub-endpoint.ts';
import { findModel } from '../../../main/model-folder.ts';
import { TokenscopeError } from '../../../shared/errors.ts';
import { clockFor, filesIn, get, type GetOptions } from '../../support/download.ts';
import { COMMIT, Hub, noise, type ScriptedFault, sha256, tinyModel } from '../../support/hub.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const GRAPH = 'onnx/model_q4.onnx';
const FILES = [
  'config.json',
  'generation_config.json',
  'model.lock.json',
  GRAPH,
  'onnx/model_q4.onnx_data',
  'onnx/model_q4.onnx_data_1',
  'special_tokens_map.json',
  'tokenizer.json',
  'tokenizer_config.json',
];

const root = temporaryFolder();
let count = 0;
let folder: string;
let hub: Hub;
beforeEach(async () => {
  count += 1;
  folder = join(root, `model-${count}`);
  hub = await Hub.start(tinyModel());
});
afterEach(() => hub.close());

/** The folder holds exactly what the hub has, and loads. */
async function expectComplete(): Promise<void> {
  expect(filesIn(folder)).toEqual(FILES);
  for (const path of FILES) {
    if (path !== 'model.lock.json')
      expect(readFileSync(join(folder, path)).equals(hub.files.get(path)!.content)).toBe(true);
  }
  await findModel(folder);
}

/** One line for people, of a known kind; what is left never loads as a model, and no lock says it would. */
async function expectRefused(reason: RegExp, request = {}, options: GetOptions = {}): Promise<TokenscopeError> {
  const error: unknown = await get(hub, folder, request, options).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(TokenscopeError);
  const refusal = error as TokenscopeError;
  expect(refusal.line).toMatch(reason);
  expect(refusal.line).not.toMatch(/\n|signature=/);
  expect(existsSync(join(folder, 'model.lock.json'))).toBe(false);
  await expect(findModel(folder)).rejects.toThrow(TokenscopeError);
  return refusal;
}

describe('a download', () => {
  test('gets the files of its variant and no others, and locks them', async () => {
    const { model } = await get(hub, folder);
    await expectComplete();
    const bytes = FILES.reduce((sum, path) => sum + (hub.files.get(path)?.content.length ?? 0), 0);
    expect(model).toEqual({
      model: 'tiny/decoder',
      revision: COMMIT,
      variant: 'q4',
      license: 'apache-2.0',
      bytes,
      files: 8,
      directory: folder,
      already: false,
    });
    const lock = JSON.parse(readFileSync(join(folder, 'model.lock.json'), 'utf8')) as Record<string, unknown>;
    expect(lock).toMatchObject({
      repository: 'tiny/decoder',
      revision: COMMIT,
      license: 'apache-2.0',
      variant: 'q4',
      graph: GRAPH,
      tool: expect.stringMatching(/^tokenscope \d/),
    });
    expect(lock['files']).toContainEqual({
      path: GRAPH,
      bytes: 150_000,
      sha256: sha256(hub.files.get(GRAPH)!.content),
    });
    expect(await findModel(folder)).toMatchObject({
      id: 'tiny/decoder',
      revision: COMMIT,
      license: 'apache-2.0',
      graph: GRAPH,
    });
    expect(hub.requests.every(({ file }) => file !== 'pytorch_model.bin' && file !== 'README.md')).toBe(true);
  });

  test('resolves a branch once and records the commit', async () => {
    const { model } = await get(hub, folder, { revision: 'main' });
    expect(model.revision).toBe(COMMIT);
    const asked = hub.requests.filter(({ path }) => path.startsWith('/api/models/')).map(({ path }) => path);
    expect(asked.map((path) => path.split('/').at(-1))).toEqual(['main', COMMIT]);
    expect(
      hub.requests.filter(({ path }) => path.includes('/resolve/')).every(({ path }) => path.includes(COMMIT)),
    ).toBe(true);
  });

  test('tells phases, files, bytes, rate and time left, and its bytes add up', async () => {
    const { events } = await get(hub, folder);
    expect(events[0]).toMatchObject({ phase: 'resolving', file: null });
    const last = events.at(-1)!;
    expect(last.done_bytes).toBe(last.total_bytes);
    const moving = events.filter(({ phase, file }) => phase === 'downloading' && file?.path === GRAPH);
    expect(moving.length).toBeGreaterThan(0);
    expect(events.some((event) => (event.bytes_per_second ?? 0) > 0 && event.seconds_left !== null)).toBe(true);
    for (const [index, event] of events.entries()) {
      expect(event.done_bytes).toBeLessThanOrEqual(Math.max(event.total_bytes, 0));
      if (index > 1) expect(event.done_bytes).toBeGreaterThanOrEqual(events[index - 1]!.done_bytes);
    }
  });

  test('into a folder that has it asks nobody, and mends what was damaged', async () => {
    await get(hub, folder);
    hub.requests.length = 0;
    expect((await get(hub, folder)).model.already).toBe(true);
    expect(hub.requests).toEqual([]);
    expect((await get(hub, folder, { revision: 'main' })).model.already).toBe(true);

    const damaged = noise(150_000, 9);
    await writeFile(join(folder, GRAPH), damaged);
    await expect(findModel(folder)).rejects.toThrow(/sha256/);
    hub.requests.length = 0;
    expect((await get(hub, folder)).model.already).toBe(false);
    await expectComplete();
    expect(new Set(hub.requests.map(({ file }) => file))).toEqual(new Set([undefined, GRAPH]));
  });

  test('that mends a folder and breaks off leaves no lock that says it is whole', async () => {
    await get(hub, folder);
    await writeFile(join(folder, GRAPH), noise(150_000, 9));
    hub.script = [fault('resolve', { kind: 'status', status: 404 })];
    const error = await expectRefused(/is listed but not there/);
    expect(error.code).toBe('download');
    await expect(findModel(folder)).rejects.toThrow(/is an incomplete download/);
    await get(hub, folder);
    await expectComplete();
  });

  test('with force gives up a whole model only for one that the hub hands out', async () => {
    await get(hub, folder);
    for (const status of [403, 404, 500]) {
      hub.script = [{ on: 'resolve', times: 100, fault: { kind: 'status', status } }];
      await expect(get(hub, folder, { variant: 'fp32', force: true })).rejects.toThrow(TokenscopeError);
      hub.script = [];
      await expectComplete();
    }
  });

  test('of another variant or commit needs another folder, or force', async () => {
    await get(hub, folder);
    await expect(get(hub, folder, { variant: 'fp32' })).rejects.toThrow(/holds tiny\/decoder at a{12}, q4/);
    await expectComplete();
    await get(hub, folder, { variant: 'fp32', force: true });
    expect(filesIn(folder).filter((path) => path.startsWith('onnx/'))).toEqual(['onnx/model.onnx']);
    expect((await findModel(folder)).graph).toBe('onnx/model.onnx');

    const moved = 'b'.repeat(40);
    hub.branches['main'] = moved;
    hub.commit = moved;
    await expect(get(hub, folder, { revision: 'main', variant: 'fp32' })).rejects.toThrow(/holds .* at a{12}/);
    await expect(get(hub, folder, { revision: moved, variant: 'fp32' })).rejects.toThrow(/holds .* at a{12}/);
  });

  test('does not write among files of a person', async () => {
    await mkdir(folder);
    await writeFile(join(folder, 'notes.txt'), 'mine');
    await expectRefused(/holds 1 other files or folders .*--force/);
    expect(filesIn(folder)).toEqual(['notes.txt']);
    await get(hub, folder, { force: true });
    expect(filesIn(folder)).toEqual([...FILES, 'notes.txt'].toSorted());
  });
});

describe('a bad network ends in a whole model', () => {
  const script = (...faults: ScriptedFault[]) => {
    hub.script = faults;
  };

  test('a connection cut again and again is resumed where it broke off', async () => {
    script(...[1, 40_000, 0, 65_536, 10_000].map((after) => cut('cdn', after)));
    const { waits } = await get(hub, folder);
    await expectComplete();
    const ranges = hub.transfers(GRAPH).map(({ range }) => range);
    expect(ranges[0]).toBeUndefined();
    expect(ranges.length).toBe(6);
    expect(ranges.slice(1).every((range) => range === undefined || /^bytes=\d+-$/.test(range))).toBe(true);
    expect(ranges.at(-1)).toMatch(/^bytes=[1-9]\d+-$/);
    expect(waits.length).toBe(5);
  });

  test.each<[string, ScriptedFault[]]>([
    ['the whole file instead of a range', [cut('cdn', 40_000), fault('cdn', { kind: 'ignore-range' })]],
    ['a truncated body', [cut('cdn', 149_999)]],
    ['a wrong length', [fault('cdn', { kind: 'length', bytes: 149_990 })]],
    ['a body that goes on', [fault('cdn', { kind: 'longer', by: 5000 })]],
    ['a flipped bit', [fault('cdn', { kind: 'flip', at: 77_777 })]],
    ['a flipped bit in a resumed file', [cut('cdn', 100_000), fault('cdn', { kind: 'flip', at: 149_000 })]],
    ['too many requests', [fault('cdn', { kind: 'status', status: 429, headers: { 'Retry-After': '7' } })]],
    ['too many requests at the hub', [fault('resolve', { kind: 'status', status: 429 })]],
    [
      'an error of the server',
      [fault('cdn', { kind: 'status', status: 500 }), fault('resolve', { kind: 'status', status: 503 })],
    ],
    ['a stalled body', [fault('cdn', { kind: 'stall', after: 20_000 })]],
    ['a body that stalls before its first byte', [fault('cdn', { kind: 'stall', after: 0 })]],
    ['an address that has expired', [fault('resolve', { kind: 'expired' })]],
    [
      'a range that is not the one asked for',
      [cut('cdn', 40_000), fault('cdn', { kind: 'headers', set: { 'Content-Range': 'bytes 1-149999/150000' } })],
    ],
    [
      'a range of another file',
      [cut('cdn', 40_000), fault('cdn', { kind: 'headers', set: { 'Content-Range': 'bytes 40000-9/10' } })],
    ],
    ['a range that is not there', [cut('cdn', 40_000), fault('cdn', { kind: 'status', status: 416 })]],
    ['a compressed answer', [fault('cdn', { kind: 'headers', set: { 'Content-Encoding': 'gzip' } })]],
    ['an error of the listing', [{ on: 'listing', fault: { kind: 'status', status: 502 } }]],
  ])('%s', async (_, faults) => {
    script(...faults);
    const { events } = await get(hub, folder);
    await expectComplete();
    expect(hub.script).toEqual([]);
    expect(events.at(-1)!.done_bytes).toBe(events.at(-1)!.total_bytes);
  });

  test('an answer that is not what was asked for is not read, and the file begins anew', async () => {
    script(
      cut('cdn', 40_000),
      fault('cdn', { kind: 'headers', set: { 'Content-Range': 'bytes 1-149999/150000' } }),
      fault('cdn', { kind: 'length', bytes: 149_990 }),
    );
    const { waits } = await get(hub, folder);
    const ranges = hub.transfers(GRAPH).map(({ range }) => range);
    expect(ranges).toEqual([undefined, expect.stringMatching(/^bytes=[1-9]\d*-$/), undefined, undefined]);
    expect(waits.length).toBe(3);
  });

  test('a small file that is cut is resumed under its own tag', async () => {
    script({ on: 'cache', path: 'config.json', fault: { kind: 'cut', after: 9 } });
    await get(hub, folder);
    await expectComplete();
    const [first, second] = hub.transfers('config.json');
    expect(first).toMatchObject({ range: undefined, ifRange: undefined });
    if (second!.range !== undefined) expect(second!.ifRange).toMatch(/^"[0-9a-f]{40}"$/);
  });

  test('Retry-After is honoured, as seconds and as a date, up to a bound', async () => {
    script(
      fault('cdn', { kind: 'status', status: 429, headers: { 'Retry-After': '7' } }),
      fault('cdn', { kind: 'status', status: 503, headers: { 'Retry-After': 'Thu, 01 Jan 2026 00:01:30 GMT' } }),
      fault('cdn', { kind: 'status', status: 429, headers: { 'Retry-After': '86400' } }),
      fault('cdn', { kind: 'status', status: 429, headers: { 'Retry-After': 'soon' } }),
      fault('resolve', { kind: 'status', status: 429, headers: { RateLimit: '"resolvers";r=0;t=172' } }),
    );
    const { waits, events } = await get(hub, folder);
    expect(waits).toEqual([172_000, 7000, 90_000, LONGEST_RETRY_AFTER_MS, 12_000]);
    expect(events.map(({ waiting }) => waiting)).toContain(
      `127.0.0.1:${new URL(hub.cdn).port} answered 429; trying again in 7 s`,
    );
  });

  test('what a process that was ended had on the disk is used', async () => {
    await expectStopped(70_000);
    const part = readFileSync(join(folder, `${GRAPH}.part`)).length;
    expect(part).toBeGreaterThan(0);
    await expect(findModel(folder)).rejects.toThrow(/is an incomplete download/);
    hub.requests.length = 0;
    await get(hub, folder);
    await expectComplete();
    expect(hub.transfers(GRAPH).map(({ range }) => range)).toEqual([`bytes=${part}-`]);
    expect(hub.transfers('config.json')).toEqual([]);
  });

  test('a part that is damaged, or longer than the file, is thrown away', async () => {
    await expectStopped(70_000);
    const path = join(folder, `${GRAPH}.part`);
    const content = readFileSync(path);
    content[10]! ^= 1;
    await writeFile(path, content);
    await get(hub, folder);
    await expectComplete();

    await rm(folder, { recursive: true });
    await expectStopped(70_000);
    await truncate(path, 200_000);
    await get(hub, folder);
    await expectComplete();
  });

  test('a branch that moves in the meantime: the download goes on at the commit it began with', async () => {
    await expectStopped(70_000, { revision: 'main' });
    hub.branches['main'] = 'c'.repeat(40);
    expect((await get(hub, folder, { revision: 'main' })).model.revision).toBe(COMMIT);
    await expectComplete();
  });

  test('an unfinished download of something else is replaced with force only', async () => {
    await expectStopped(70_000);
    await expect(get(hub, folder, { variant: 'fp32' })).rejects.toThrow(/an unfinished download of tiny\/decoder/);
    await get(hub, folder, { variant: 'fp32', force: true });
    expect(filesIn(folder).filter((path) => path.startsWith('onnx/'))).toEqual(['onnx/model.onnx']);
  });

  /** Stops a download, as Ctrl-C does, once the graph has so many bytes. */
  async function expectStopped(bytes: number, request = {}): Promise<void> {
    const stop = new AbortController();
    hub.script = [{ on: 'cdn', path: GRAPH, fault: { kind: 'stall', after: bytes } }];
    const clock = clockFor(hub);
    const stopped = get(hub, folder, request, {
      signal: stop.signal,
      services: {
        ...clock,
        // Nobody gives up on the connection: it is the signal that ends it.
        sleep: (_, signal) => new Promise((_, reject) => signal.addEventListener('abort', reject)),
        write: async (file, block, position) => {
          const written = await clock.write(file, block, position);
          // No other file is as large as that.
          if (position + written === bytes) stop.abort();
          return written;
        },
      },
    });
    await expect(stopped).rejects.toThrow(/abort/i);
    expect(existsSync(join(folder, 'model.lock.json'))).toBe(false);
    // The lock against a second download is given back.
    expect(filesIn(folder).filter((path) => path.endsWith('.lock'))).toEqual([]);
  }
});

test('cut at any byte of any file, in this process or the next: it ends whole and never goes back', async () => {
  const paths = [...hub.files.keys()].filter((path) => FILES.includes(path));
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          path: fc.constantFrom(...paths),
          after: fc.oneof(fc.nat(150_001), fc.nat(60), fc.constantFrom(16_384, 65_536, 65_537)),
          ends: fc.boolean(),
        }),
        { minLength: 1, maxLength: 6 },
      ),
      async (cuts) => {
        await rm(folder, { recursive: true, force: true });
        hub.requests.length = 0;
        hub.script = cuts.map(({ path, after }) => ({
          on: hub.files.get(path)!.lfs ? 'cdn' : 'cache',
          path,
          fault: { kind: 'cut', after },
        }));
        // A process that ends: the wait after a cut is never over.
        let ends = cuts.filter((each) => each.ends).length;
        for (let done = false; !done; ) {
          const clock = clockFor(hub);
          const sleep: typeof clock.sleep = async (ms, signal) => {
            if (ms !== STALL_MS && ends > 0) {
              ends -= 1;
              throw new Error('the process ended');
            }
            return clock.sleep(ms, signal);
          };
          try {
            await get(hub, folder, {}, { services: { ...clock, sleep } });
            done = true;
          } catch (error) {
            expect((error as Error).message).toBe('the process ended');
            await expect(findModel(folder)).rejects.toThrow(TokenscopeError);
          }
        }
        await expectComplete();
        for (const path of paths) {
          const starts = hub.transfers(path).map(({ range }) => Number(/\d+/.exec(range ?? '0')![0]));
          expect(starts).toEqual(starts.toSorted((a, b) => a - b));
        }
      },
    ),
    { numRuns: 25, seed: 7 },
  );
});

describe('is refused', () => {
  test.each<[string, ScriptedFault[], RegExp]>([
    [
      'a file that stays wrong',
      times(2, fault('cdn', { kind: 'flip', at: 5 })),
      /model_q4\.onnx: its sha256 is [0-9a-f]{64}, expected is [0-9a-f]{64}/,
    ],
    [
      'a server that never gets on',
      times(MOST_ATTEMPTS, fault('cdn', { kind: 'status', status: 500 })),
      /6 attempts brought nothing, the last: .* answered 500/,
    ],
    [
      'bodies that begin anew and are cut at the same place',
      times(MOST_ATTEMPTS + 1, fault('cdn', { kind: 'cut', after: 50_000, ignoreRange: true })),
      /6 attempts brought nothing/,
    ],
    [
      'a gated model',
      [{ on: 'resolve', fault: { kind: 'status', status: 403, headers: { 'X-Error-Code': 'GatedRepo' } } }],
      /gives this model only to those.*ask for it at/,
    ],
    [
      'a hidden model',
      [{ on: 'listing', fault: { kind: 'status', status: 401 } }],
      /no such model to the public \(401\).*set HF_TOKEN/,
    ],
    [
      'a listed file that is not there',
      [fault('resolve', { kind: 'status', status: 404 })],
      /is listed but not there \(404\)/,
    ],
    [
      'a file that has become another',
      [fault('resolve', { kind: 'headers', set: { 'X-Linked-Etag': `"${'d'.repeat(64)}"` } })],
      /changed on the hub: its sha256 is d{64}, expected is [0-9a-f]{64}/,
    ],
    [
      'a file of another size',
      [fault('resolve', { kind: 'headers', set: { 'X-Linked-Size': '7' } })],
      /its size is 7, expected is 150000/,
    ],
    [
      'a file of another commit',
      [fault('resolve', { kind: 'headers', set: { 'X-Repo-Commit': 'f'.repeat(40) } })],
      /its commit is f{40}, expected is a{39}1/,
    ],
    [
      'a small file that has become another',
      [{ on: 'cache', path: 'config.json', fault: { kind: 'headers', set: { ETag: `"${'d'.repeat(40)}"` } } }],
      /its git hash is d{40}, expected is [0-9a-f]{40}/,
    ],
    [
      'a redirect without encryption',
      [fault('resolve', { kind: 'redirect', to: 'http://files.example/x' })],
      /redirects to http:\/\/files\.example, which is not safe/,
    ],
    [
      'a redirect to a file of this machine',
      [fault('resolve', { kind: 'redirect', to: 'file:///etc/passwd' })],
      /redirects to file:\/\/, which is not safe/,
    ],
    [
      'redirects without end',
      times(9, { on: 'listing', fault: { kind: 'redirect', to: '?blobs=true' } }),
      /redirects more than 5 times/,
    ],
    [
      'a page instead of a listing',
      [{ on: 'listing', fault: { kind: 'text', text: '<html>login</html>' } }],
      /does not answer as a model hub does/,
    ],
    [
      'another kind of listing',
      [{ on: 'listing', fault: { kind: 'text', text: '{"sha": "main"}' } }],
      /does not answer as a model hub does: sha/,
    ],
  ])('%s', async (_, script, reason) => {
    hub.script = script;
    await expectRefused(reason);
    expect(filesIn(root).filter((path) => path.endsWith('.lock'))).toEqual([]);
  });

  test('and a refusal before the first byte leaves no trace', async () => {
    hub.script = times(20, { on: 'resolve', fault: { kind: 'status', status: 403 } });
    await expectRefused(/403/);
    expect(existsSync(folder)).toBe(false);
    await expectRefused(/no such model|no revision/, { model: 'tiny/other' });
    await expectRefused(/no revision feature/, { revision: 'feature' });
    expect(existsSync(folder)).toBe(false);
  });

  test.each([
    ['../evil.json'],
    ['onnx/../../evil'],
    ['/etc/passwd'],
    ['onnx\\..\\..\\evil'],
    ['C:evil'],
    ['onnx/model_q4.onnx_data\u0000.txt'],
    [''],
  ])('a listing with the path %j', async (path) => {
    hub.edit = (listing) => ({ ...listing, siblings: [...listing.siblings, { rfilename: path, size: 1 }] });
    await expectRefused(/the hub lists .*, a path that leads out of the folder/);
  });

  test.each<
    [string, (siblings: { rfilename: string; size?: number; blobId?: string; lfs?: object }[]) => unknown, RegExp]
  >([
    ['a file listed twice', (list) => [...list, { rfilename: GRAPH, size: 1 }], /lists "onnx\/model_q4\.onnx" twice/],
    [
      'a file without a size',
      (list) => list.map((s) => (s.rfilename === 'config.json' ? { rfilename: s.rfilename } : s)),
      /does not say how large config\.json is/,
    ],
    [
      'a file in LFS without a hash',
      (list) => list.map((s) => (s.rfilename === GRAPH ? { ...s, lfs: { size: 150_000 } } : s)),
      /names no hash for onnx\/model_q4\.onnx/,
    ],
    [
      'a hash that is none',
      (list) => list.map((s) => (s.rfilename === GRAPH ? { ...s, lfs: { size: 150_000, sha256: '../x' } } : s)),
      /hash of onnx\/model_q4\.onnx is none/,
    ],
    [
      'a model without a tokenizer',
      (list) => list.filter((s) => s.rfilename !== 'tokenizer.json'),
      /tokenizer\.json is missing/,
    ],
    [
      'a model without graphs',
      (list) => list.filter((s) => !s.rfilename.startsWith('onnx/')),
      /has no onnx\/model\*\.onnx/,
    ],
  ])('%s', async (_, edit, reason) => {
    hub.edit = (listing) => ({ ...listing, siblings: edit(listing.siblings) });
    await expectRefused(reason);
  });

  test('an unknown variant, with those that are there', async () => {
    await expectRefused(/there is no variant "int8" \(it has fp32, q4, q4f16\)/, { variant: 'int8' });
  });

  test.each([
    [{ model: '../x' }],
    [{ model: 'a/b/c' }],
    [{ model: 'tiny/..' }],
    [{ revision: '../main' }],
    [{ revision: '' }],
    [{ variant: '../q4' }],
    [{ variant: '' }],
  ])('the request %j', async (request) => {
    await expectRefused(/is not (the name of a model|a revision|a variant)/, request);
    expect(hub.requests).toEqual([]);
  });

  test('a disk without room, with both figures, before a byte is asked for', async () => {
    const services = { ...clockFor(hub), freeBytes: async () => 1_000_000 };
    await expectRefused(/the disk has 1\.00 MB free, 17\.1 MB are needed/, {}, { services });
    expect(hub.transfers(GRAPH)).toEqual([]);
    expect(existsSync(folder)).toBe(false);
  });

  test('a disk that becomes full, and goes on once there is room', async () => {
    let room = 120_000;
    const clock = clockFor(hub);
    const services = {
      ...clock,
      write: async (...[file, block, position]: Parameters<typeof clock.write>) => {
        // Like a file system: what fits is taken, then nothing.
        const fits = Math.min(room, block.length);
        if (fits === 0) throw Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'write' });
        room -= fits;
        return clock.write(file, block.subarray(0, fits), position);
      },
    };
    await expectRefused(/model_q4\.onnx\.part: the disk is full .*what arrived is kept/, {}, { services });
    hub.requests.length = 0;
    await get(hub, folder);
    await expectComplete();
    expect(hub.transfers(GRAPH)[0]!.range).toMatch(/^bytes=[1-9]\d*-$/);
  });

  test('a link in the place of a folder or a file: nothing is written through it', async () => {
    const outside = join(root, `outside-${count}`);
    await mkdir(outside);
    await mkdir(folder);
    await symlink(outside, join(folder, 'onnx'));
    await expectRefused(/onnx: is not a folder, and nothing is written through a link/, { force: true });
    await rm(join(folder, 'onnx'));
    await writeFile(join(outside, 'target'), 'mine');
    await symlink(join(outside, 'target'), join(folder, 'config.json.part'));
    await symlink(join(outside, 'target'), join(folder, 'tokenizer.json'));
    await get(hub, folder, { force: true });
    await expectComplete();
    expect(filesIn(outside)).toEqual(['target']);
    expect(readFileSync(join(outside, 'target'), 'utf8')).toBe('mine');
  });
});

describe('the token', () => {
  test('goes to the hub and nowhere else', async () => {
    hub.token = 'hf_secret';
    await get(hub, folder, {}, { token: 'hf_secret' });
    await expectComplete();
    const sent = (server: string) =>
      new Set(hub.requests.filter((r) => r.server === server).map((r) => r.authorization));
    expect(sent('hub')).toEqual(new Set(['Bearer hf_secret']));
    expect(sent('cdn')).toEqual(new Set([undefined]));
  });

  test('is not sent to a host that was reached by way of another', async () => {
    hub.token = undefined;
    hub.script = [
      {
        on: 'listing',
        fault: {
          kind: 'redirect',
          to: `${hub.endpoint.replace('127.0.0.1', 'localhost')}/api/models/tiny/decoder/revision/${COMMIT}?blobs=true`,
        },
      },
    ];
    await get(hub, folder, {}, { token: 'hf_secret' });
    const [first, second] = hub.requests;
    expect([first!.authorization, second!.authorization]).toEqual(['Bearer hf_secret', undefined]);

    // Nor when that other host sends it back home.
    await rm(folder, { recursive: true });
    hub.requests.length = 0;
    const path = `/api/models/tiny/decoder/revision/${COMMIT}?blobs=true`;
    hub.script = [hub.endpoint.replace('127.0.0.1', 'localhost'), hub.endpoint].map((origin) => ({
      on: 'listing',
      fault: { kind: 'redirect', to: `${origin}${path}` },
    }));
    await get(hub, folder, {}, { token: 'hf_secret' });
    expect(hub.requests.slice(0, 3).map(({ authorization }) => authorization)).toEqual([
      'Bearer hf_secret',
      undefined,
      undefined,
    ]);
  });

  test('that is wrong is not shown', async () => {
    hub.token = 'hf_right';
    const refusal = await expectRefused(/403|401|granted access/, {}, { token: 'hf_wrong' });
    expect(JSON.stringify([refusal.line, refusal.stack, refusal.cause])).not.toContain('hf_wrong');
    for (const value of ['hf_a\nb', 'hf ü']) {
      expect(() => hubAccess({ HF_TOKEN: value })).toThrow(/HF_TOKEN cannot be used: it has characters/);
    }
  });
});

test('pinned files win over what the hub says', async () => {
  const content = hub.files.get(GRAPH)!.content;
  const pin = { bytes: content.length, sha256: sha256(content) };
  const services = (pin: { bytes: number; sha256: string }) => ({
    ...clockFor(hub),
    pinOf: (model: string, revision: string, path: string) =>
      model === 'tiny/decoder' && revision === COMMIT && path === GRAPH ? pin : undefined,
  });
  await get(hub, folder, {}, { services: services(pin) });
  await expectComplete();
  await rm(folder, { recursive: true });
  await expectRefused(
    /is not the known file: the hub says 150000 bytes, pinned is 3/,
    {},
    { services: services({ ...pin, bytes: 3 }) },
  );
  const other = { ...pin, sha256: '0'.repeat(64) };
  await expectRefused(/the hub says sha256 [0-9a-f]{64}, pinned is 0{64}/, {}, { services: services(other) });

  // A file in git has no sha256 in the listing: the pin is held against its bytes.
  const config = { bytes: hub.files.get('config.json')!.content.length, sha256: '0'.repeat(64) };
  const pinned = {
    ...clockFor(hub),
    pinOf: (_: string, _r: string, path: string) => (path === 'config.json' ? config : undefined),
  };
  await expectRefused(/config\.json: its sha256 is [0-9a-f]{64}, expected is 0{64}/, {}, { services: pinned });
});

test('of two downloads into one folder at once the second is refused, and the first ends well', async () => {
  let second: Promise<unknown> | undefined;
  await get(
    hub,
    folder,
    {},
    {
      onProgress: ({ file }) => {
        if (file?.path === GRAPH) second ??= get(hub, folder).catch((error: unknown) => error);
      },
    },
  );
  expect(await second).toMatchObject({
    message: `another download is at work in this folder (process ${process.pid})`,
  });
  await expectComplete();
});

function cut(on: ScriptedFault['on'], after: number): ScriptedFault {
  return fault(on, { kind: 'cut', after });
}

function fault(on: ScriptedFault['on'], fault: ScriptedFault['fault']): ScriptedFault {
  return { on, path: GRAPH, fault };
}

function times(count: number, step: ScriptedFault): ScriptedFault[] {
  return [{ ...step, times: count }];
}
