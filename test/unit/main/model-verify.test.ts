import { appendFileSync, cpSync, readFileSync, rmSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { HashCache } from '../../../main/hash-cache.ts';
import { findModel, inspectModel } from '../../../main/model-folder.ts';
import type { ModelLock } from '../../../main/model-lock.ts';
import { verifyModel } from '../../../main/model-verify.ts';
import type { TokenscopeError } from '../../../shared/errors.ts';
import { get } from '../../support/download.ts';
import { COMMIT, Hub, sha256, tinyModel } from '../../support/hub.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const GRAPH = 'onnx/model_q4.onnx';
const root = temporaryFolder();
const original = join(root, 'original');
const model = join(root, 'model');
const cachePath = join(root, 'hashes.json');
const later = () => Date.now() + 60_000;
let hub: Hub;
beforeAll(async () => {
  hub = await Hub.start(tinyModel());
  await get(hub, original);
});
afterAll(() => hub.close());
beforeEach(() => {
  for (const path of [model, cachePath]) rmSync(path, { recursive: true, force: true });
  cpSync(original, model, { recursive: true });
});

function flip(path: string): void {
  const content = readFileSync(join(model, path));
  content[11]! ^= 4;
  writeFileSync(join(model, path), content);
}

function editLock(edit: (lock: ModelLock) => unknown): void {
  const path = join(model, 'model.lock.json');
  writeFileSync(path, JSON.stringify(edit(JSON.parse(readFileSync(path, 'utf8')) as ModelLock)));
}

describe('verify', () => {
  test('knows sizes at once, and hashes where they are asked for', async () => {
    const quick = await verifyModel(model, { hashes: false });
    expect(quick.fault).toBeUndefined();
    expect(quick.files.map(({ hashed }) => hashed)).toEqual(Array(8).fill(false));
    const told: [number, number][] = [];
    const full = await verifyModel(model, { hashes: true, onBytes: (done, total) => told.push([done, total]) });
    expect(full.files.every(({ hashed, problem }) => hashed && problem === null)).toBe(true);
    const sum = full.files.reduce((bytes, file) => bytes + file.bytes, 0);
    expect(told.at(-1)).toEqual([sum, sum]);
  });

  test('names every file that is wrong, the first as the error with both hashes and the remedy', async () => {
    flip(GRAPH);
    appendFileSync(join(model, 'config.json'), ' ');
    unlinkSync(join(model, 'special_tokens_map.json'));
    expect((await verifyModel(model, { hashes: false })).files.filter(({ problem }) => problem !== null).length).toBe(
      2,
    );
    const { files, fault } = await verifyModel(model, { hashes: true });
    expect(
      Object.fromEntries(files.flatMap(({ path, problem }) => (problem === null ? [] : [[path, problem]]))),
    ).toEqual({
      'config.json': expect.stringMatching(/^has \d+ bytes, model\.lock\.json says \d+$/),
      'special_tokens_map.json': expect.stringMatching(/^is missing, model\.lock\.json lists it with 20 bytes$/),
      [GRAPH]: `has sha256 ${sha256(readFileSync(join(model, GRAPH)))}, model.lock.json says ${sha256(hub.files.get(GRAPH)!.content)}`,
    });
    expect(fault!.line).toContain(
      `get it again: tokenscope download --model tiny/decoder --revision ${COMMIT} --variant q4 --destination ${model}`,
    );
  });

  test('reads every byte whatever the cache says', async () => {
    const cache = new HashCache(cachePath, later);
    await verifyModel(model, { hashes: true, cache });
    // A cache that is wrong: as if the disk had lost a bit without anybody writing.
    const entries = readFileSync(cachePath, 'utf8');
    flip(GRAPH);
    writeFileSync(cachePath, entries);
    expect((await verifyModel(model, { hashes: true, cache: new HashCache(cachePath, later) })).fault).toBeDefined();
    // Without --hashes a file that was written since is not taken for the one that was hashed.
    const quick = await verifyModel(model, { hashes: false, cache: new HashCache(cachePath, later) });
    expect(quick.files.find(({ path }) => path === GRAPH)!.problem).toMatch(/has sha256/);
  });

  test('refuses a folder without a lock, and says where a download was not finished', async () => {
    unlinkSync(join(model, 'model.lock.json'));
    await expect(verifyModel(model, { hashes: false })).rejects.toThrow(/has no model\.lock\.json/);
    writeFileSync(join(model, 'onnx/model_q4.onnx_data.part'), 'x');
    await expect(verifyModel(model, { hashes: false })).rejects.toThrow(/is an incomplete download/);
  });
});

describe('loading', () => {
  test('says what the model is, by its lock', async () => {
    const found = await findModel(model);
    expect(found).toMatchObject({ id: 'tiny/decoder', revision: COMMIT, license: 'apache-2.0', graph: GRAPH });
    expect(found.files.map(({ path }) => path)).toEqual([
      'config.json',
      'generation_config.json',
      'tokenizer.json',
      'tokenizer_config.json',
      GRAPH,
      'onnx/model_q4.onnx_data',
      'onnx/model_q4.onnx_data_1',
    ]);
  });

  test.each<[string, () => void, RegExp]>([
    [
      'a file of another size',
      () => appendFileSync(join(model, GRAPH), 'x'),
      /model_q4\.onnx: has 150001 bytes, model\.lock\.json says 150000/,
    ],
    ['a file that is gone', () => unlinkSync(join(model, 'onnx/model_q4.onnx_data_1')), /onnx_data_1: is missing/],
    [
      'a lock that is cut',
      () => writeFileSync(join(model, 'model.lock.json'), '{"version": 1, "rep'),
      /model\.lock\.json: is not JSON/,
    ],
    [
      'a lock that leads out of the folder',
      () => editLock((lock) => ({ ...lock, graph: '../x.onnx' })),
      /graph: is not a path inside the folder/,
    ],
    [
      'a lock with a file elsewhere',
      () =>
        editLock((lock) => ({
          ...lock,
          files: [...lock.files, { path: '/etc/passwd', bytes: 1, sha256: '0'.repeat(64) }],
        })),
      /files\.8\.path: is not a path inside/,
    ],
    ['a lock of a later version', () => editLock((lock) => ({ ...lock, version: 2 })), /version/],
  ])('at once refuses %s', async (_, damage, reason) => {
    damage();
    await expect(inspectModel(model)).rejects.toSatisfy((error: TokenscopeError) => reason.test(error.line));
  });

  test('refuses other bytes of the right size, with both hashes, whether or not they were hashed before', async () => {
    const cache = new HashCache(cachePath, later);
    await findModel(model, { hashes: cache });
    flip(GRAPH);
    for (const hashes of [cache, new HashCache(cachePath, later)]) {
      await expect(findModel(model, { hashes })).rejects.toSatisfy((error: TokenscopeError) =>
        /model_q4\.onnx: has sha256 [0-9a-f]{64}, model\.lock\.json says [0-9a-f]{64} \(get it again: tokenscope/.test(
          error.line,
        ),
      );
    }
  });

  test('hashes a file once for as long as it does not change', async () => {
    const hashed = async () => {
      const steps: number[] = [];
      const found = await findModel(model, {
        hashes: new HashCache(cachePath, later),
        onHash: (done) => steps.push(done),
      });
      return { steps: steps.length, files: found.files };
    };
    const first = await hashed();
    const second = await hashed();
    expect(second.files).toEqual(first.files);
    // A wrong entry is believed, which shows that the file was not read; verify --hashes is what reads it.
    const cached = readFileSync(cachePath, 'utf8').replace(sha256(hub.files.get(GRAPH)!.content), 'f'.repeat(64));
    writeFileSync(cachePath, cached);
    await expect(findModel(model, { hashes: new HashCache(cachePath, later) })).rejects.toThrow(/has sha256 f{64}/);
    utimesSync(join(model, GRAPH), 5, 5);
    const content = ({ files }: Awaited<ReturnType<typeof hashed>>) => files.map(({ path, sha256 }) => [path, sha256]);
    expect(content(await hashed())).toEqual(content(first));
  });

  test('takes no graph or data but those that were downloaded', async () => {
    writeFileSync(join(model, 'onnx/model.onnx'), 'another');
    writeFileSync(join(model, 'onnx/model_q4.onnx_data_2'), 'another');
    const found = await findModel(model);
    expect(found.graph).toBe(GRAPH);
    expect(found.files.map(({ path }) => path)).not.toContain('onnx/model_q4.onnx_data_2');
    await expect(findModel(model, { graph: 'model.onnx' })).rejects.toThrow(/model\.onnx is not of the model that was/);
    expect((await findModel(model, { graph: 'model_q4.onnx' })).graph).toBe(GRAPH);
    // A lock that leaves out a file that is loaded.
    editLock((lock) => ({ ...lock, files: lock.files.filter(({ path }) => path !== 'tokenizer.json') }));
    await expect(findModel(model)).rejects.toThrow(/is not of the model that was downloaded here/);
  });

  test.each(['config.json.part', 'onnx/model_q4.onnx.part', 'model.download.json'])(
    'refuses a folder with %s and no lock as an incomplete download',
    async (name) => {
      unlinkSync(join(model, 'model.lock.json'));
      expect((await findModel(model)).revision).toBeNull();
      writeFileSync(join(model, name), '{');
      await expect(findModel(model)).rejects.toSatisfy(
        (error: TokenscopeError) => error.line === `${model}: is an incomplete download (run the download again)`,
      );
    },
  );
});
