import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listSupportedBackends } from 'onnxruntime-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEVICES } from '../../shared/plan.ts';
import { findModel } from '../../main/model-folder.ts';
import { forkNodeWorker, startWorker } from '../../main/worker-process.ts';
import type { FromWorker } from '../../shared/messages.ts';
import { isOneLine, runCli } from '../support/cli.ts';
import { DEMO_FOLDER } from '../support/demo.ts';

let folder: string;
let plan: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tokenscope-device-'));
  plan = join(folder, 'plan.json');
  const run = { name: 'a', prompt: 'Hi', max_new_tokens: 2, repeats: 1 };
  await writeFile(plan, JSON.stringify({ device: 'auto', threads: 1, warmup: null, runs: [run] }));
});
afterAll(() => rm(folder, { recursive: true }));

const supported = listSupportedBackends().map(({ name }) => name);

test('a device that this runtime does not have is refused with those it has, over what the plan says', async () => {
  const absent = DEVICES.find((device) => !supported.includes(device)) ?? '';
  const ran = await runCli(['run', '--plan', plan, '--device', absent]);
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(isOneLine(ran.stderr)).toBe(true);
  expect(ran.stderr).toMatch(new RegExp(`device: ${absent} is not a device of this runtime on .*\\(it has cpu, `));
});

test('WebGPU runs, or is refused in one line, whatever its libraries write to the terminal', async () => {
  const ran = await runCli(['run', '--plan', plan, '--device', 'webgpu']);
  if (ran.code === 0) return;
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(isOneLine(ran.stderr)).toBe(true);
  expect(ran.stderr).toMatch(/^tokenscope: device: webgpu /);
});

test('auto leaves a record that names the device and its provider', async () => {
  const output = join(folder, 'record.json');
  const ran = await runCli(['run', '--plan', plan, '--output', output]);
  expect(ran).toMatchObject({ code: 0, stderr: `saved ${output}\n` });
  const record = JSON.parse(await readFile(output, 'utf8')) as {
    environment: Record<string, string>;
    plan: { device: string };
  };
  expect(record.plan.device).toBe('auto');
  expect(DEVICES).toContain(record.environment['device']);
  expect(record.environment['execution_provider']).toMatch(/ExecutionProvider$/);
  if (record.environment['device'] === 'cpu')
    expect(record.environment['device_note']).toMatch(/^\w+ cannot be used here: /);
});

test('a loaded model is kept for the same device and threads, and for no other', async () => {
  const model = await findModel(DEMO_FOLDER);
  const worker = startWorker(forkNodeWorker());
  const load = async (threads: number, device: 'cpu' | 'auto') => {
    worker.post({ type: 'load', folder: model, threads, device });
    const isLoaded = (message: FromWorker) => message.type === 'loaded';
    const answer = await worker.until((message): message is Extract<FromWorker, { type: 'loaded' }> =>
      isLoaded(message),
    );
    return answer.header.load.reused;
  };
  expect(await load(1, 'cpu')).toBe(false);
  expect(await load(1, 'cpu')).toBe(true);
  expect(await load(1, 'auto')).toBe(false);
  expect(await load(2, 'auto')).toBe(false);
  await worker.quit();
});

test('a device that nobody has heard of is wrong usage', async () => {
  expect(await runCli(['run', '--device', 'npu'])).toMatchObject({ code: 2, stdout: '' });
});
