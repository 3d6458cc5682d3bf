import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hubAccess } from '../../../main/download/hub-endpoint.ts';
import type { ModelDownload, ModelEntry } from '../../../shared/host.ts';
import { COMMIT, Hub, tinyModel } from '../../support/hub.ts';
import { messageOfOutcome, openTestProfiler, type TestProfiler, valueOf } from '../../support/profiler.ts';

const REQUEST: ModelDownload = { model: 'tiny/decoder', revision: COMMIT, variant: 'q4' };
const NAME = `tiny--decoder--q4--${COMMIT.slice(0, 12)}`;

let hub: Hub;
let app: TestProfiler;
beforeEach(async () => {
  hub = await Hub.start(tinyModel());
  app = await openTestProfiler({ hubAccess: hubAccess({ HF_ENDPOINT: hub.endpoint }) });
});
afterEach(async () => {
  await app.profiler.close();
  await hub.close();
});

const entry = (id: string): ModelEntry | undefined => app.profiler.getState().models.find((model) => model.id === id);
const folder = (): string => join(app.dataDirectory, 'models', NAME);
const added = async (): Promise<string> => valueOf(await app.profiler.downloadModel(REQUEST))!.id;

test('nothing is asked of any hub before a person does', () => {
  expect(hub.requests).toEqual([]);
  expect(app.profiler.getState()).toMatchObject({ download: null, verification: null });
});

describe('a model that was downloaded', () => {
  test('is on the list with where it came from and what it takes', async () => {
    const id = await added();
    const weights = ['onnx/model_q4.onnx', 'onnx/model_q4.onnx_data', 'onnx/model_q4.onnx_data_1'];
    expect(entry(id)).toMatchObject({
      name: 'decoder, q4',
      kind: 'folder',
      problem: null,
      source: { repository: 'tiny/decoder', revision: COMMIT, license: 'apache-2.0', variant: 'q4', complete: true },
      disk: {
        graph: 'onnx/model_q4.onnx',
        weight_bytes: weights.reduce((sum, path) => sum + hub.files.get(path)!.content.length, 0),
      },
    });
    expect(app.profiler.getState().download).toBeNull();
  });

  test('is told of while it comes: what the request means, then bytes', async () => {
    await added();
    const told = app.events.of('state').flatMap(({ state }) => state.download ?? []);
    expect(told[0]).toMatchObject({ ...REQUEST, resolved: null });
    expect(told.at(-1)).toMatchObject({ resolved: { revision: COMMIT, license: 'apache-2.0' } });
    expect(told.at(-1)!.progress?.total_bytes).toBeGreaterThan(0);
  });

  test('is found by a second request, and stays after a restart', async () => {
    const id = await added();
    const before = hub.requests.length;
    expect(await added()).toBe(id);
    expect(hub.requests.length).toBe(before);
    await app.profiler.close();
    app = await openTestProfiler({ dataDirectory: app.dataDirectory });
    expect(entry(id)).toMatchObject({ problem: null, source: { complete: true } });
  });

  test('is taken off the list and stays on the disk', async () => {
    const id = await added();
    valueOf(await app.profiler.removeModel(id));
    expect(entry(id)).toBeUndefined();
    expect(existsSync(join(folder(), 'onnx/model_q4.onnx'))).toBe(true);
  });

  test('is verified byte by byte; one bit makes it refused, by the name of the file', async () => {
    const id = await added();
    const { files } = valueOf(await app.profiler.verifyModel(id));
    expect(files).toHaveLength(8);
    expect(files.every(({ problem }) => problem === null)).toBe(true);
    expect(entry(id)?.problem).toBeNull();

    const path = join(folder(), 'onnx/model_q4.onnx_data');
    const content = readFileSync(path);
    content[10]! ^= 1;
    writeFileSync(path, content);
    const wrong = valueOf(await app.profiler.verifyModel(id)).files.filter(({ problem }) => problem !== null);
    expect(wrong).toMatchObject([{ path: 'onnx/model_q4.onnx_data', problem: expect.stringContaining('has sha256') }]);
    expect(entry(id)?.problem).toMatch(/^model_q4\.onnx_data has sha256/);
    expect(app.profiler.getState().verification).toBeNull();
  });

  test('with a file that has grown is refused by its size at the next start', async () => {
    const id = await added();
    appendFileSync(join(folder(), 'onnx/model_q4.onnx'), 'x');
    await app.profiler.close();
    app = await openTestProfiler({ dataDirectory: app.dataDirectory });
    expect(entry(id)?.problem).toContain('bytes');
  });
});

test('a folder that nobody downloaded has nothing to be verified against', async () => {
  expect(messageOfOutcome(await app.profiler.verifyModel('demo'))).toContain('model.lock.json');
});

test('a download that is cancelled stays on the list as incomplete, and goes on from there', async () => {
  hub.script = [{ on: 'cdn', path: 'onnx/model_q4.onnx_data', fault: { kind: 'stall', after: 1000 } }];
  const running = app.profiler.downloadModel(REQUEST);
  await new Promise<void>((resolve) => {
    hub.onStall = resolve;
  });
  expect(messageOfOutcome(await app.profiler.downloadModel(REQUEST))).toContain('going on already');
  valueOf(await app.profiler.cancelDownload());
  expect(await running).toEqual({ ok: true, value: undefined });
  const left = app.profiler.getState().models.find(({ kind }) => kind !== 'demo')!;
  expect(left).toMatchObject({ problem: 'is an incomplete download', source: { ...left.source, complete: false } });
  expect(left.source).toMatchObject({ repository: 'tiny/decoder', revision: COMMIT, variant: 'q4' });

  hub.script = [];
  expect(await added()).toBe(left.id);
  expect(entry(left.id)).toMatchObject({ problem: null, source: { complete: true } });
});

test.each([
  ['a path for a name', { ...REQUEST, model: '../../etc' }, 'is not the name of a model'],
  ['a revision that climbs', { ...REQUEST, revision: 'a/../../b' }, 'is not a revision'],
  ['a variant with a path in it', { ...REQUEST, variant: '../x' }, 'is not a variant'],
])('%s is refused, and nothing is made', async (_, request, reason) => {
  expect(messageOfOutcome(await app.profiler.downloadModel(request))).toContain(reason);
  expect(app.profiler.getState()).toMatchObject({ download: null, models: [{ id: 'demo' }] });
  expect(hub.requests).toEqual([]);
});

test('what the hub refuses is told in words and leaves nothing on the list', async () => {
  hub.token = 'secret';
  const outcome = await app.profiler.downloadModel(REQUEST);
  expect(outcome).toMatchObject({ ok: false, error: { code: 'download' } });
  expect(app.profiler.getState().models).toHaveLength(1);
});

test('the application can be closed in the middle of a download', async () => {
  hub.script = [{ on: 'cdn', path: 'onnx/model_q4.onnx_data', fault: { kind: 'stall', after: 1000 } }];
  const running = app.profiler.downloadModel(REQUEST);
  await new Promise<void>((resolve) => {
    hub.onStall = resolve;
  });
  await app.profiler.close();
  expect(await running).toEqual({ ok: true, value: undefined });
});
