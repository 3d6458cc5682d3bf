import { listSupportedBackends } from 'onnxruntime-node';
import { describe, expect, test } from 'vitest';
import { deviceFailure, devicesToTry, fetchesOn, providerOf } from '../../../../main/inference/devices.ts';
import { loadModel } from '../../../../main/inference/load-model.ts';
import { findModel } from '../../../../main/model-folder.ts';
import { TokenscopeError } from '../../../../shared/errors.ts';
import { DEVICES, planSchema } from '../../../../shared/plan.ts';
import { DEMO_FOLDER } from '../../../support/demo.ts';

const LINUX = ['cpu', 'webgpu', 'cuda', 'tensorrt'];
const MAC = ['cpu', 'coreml', 'webgpu'];
const supported = listSupportedBackends().map(({ name }) => name);

describe('the devices of a choice', () => {
  test('are the one that was named', () => {
    expect(devicesToTry('cpu', LINUX)).toEqual(['cpu']);
    expect(devicesToTry('webgpu', LINUX)).toEqual(['webgpu']);
  });

  test('auto: what this runtime has, graphics first, the processor last', () => {
    expect(devicesToTry('auto', LINUX)).toEqual(['cuda', 'webgpu', 'cpu']);
    expect(devicesToTry('auto', MAC)).toEqual(['webgpu', 'coreml', 'cpu']);
    expect(devicesToTry('auto', ['cpu'])).toEqual(['cpu']);
  });

  test('one that is not there is refused with what is', () => {
    const refused = lineOf(() => devicesToTry('coreml', LINUX));
    expect(refused).toBe(
      `device: coreml is not a device of this runtime on ${process.platform} (it has cpu, webgpu, cuda)`,
    );
  });

  test('are named as the runtime names its providers', () => {
    expect(DEVICES.map(providerOf)).toEqual([
      'CPUExecutionProvider',
      'WebGpuExecutionProvider',
      'CUDAExecutionProvider',
      'CoreMLExecutionProvider',
      'DmlExecutionProvider',
    ]);
  });
});

describe('why a device cannot be used, from the words of onnxruntime 1.30', () => {
  test.each([
    [
      'webgpu' as const,
      '/onnxruntime_src/onnxruntime/core/providers/webgpu/webgpu_context.cc:136 Initialize::<lambda()> was false. Failed to get a WebGPU adapter: No supported adapters',
      'WebGPU finds no graphics adapter that it can use',
    ],
    [
      'cuda' as const,
      'OrtSessionOptionsAppendExecutionProvider_Cuda: Failed to load shared library',
      "CUDA's libraries are not installed with this runtime",
    ],
    [
      'dml' as const,
      'no available backend found. ERR: [dml] backend not found.',
      "DirectML's libraries are not installed with this runtime",
    ],
  ])('%s', (device, message, reason) => {
    expect(deviceFailure(device, message)).toBe(reason);
  });

  test('is no matter of the processor, nor of a graph that is broken on every device', () => {
    expect(deviceFailure('cpu', 'Failed to load library')).toBeUndefined();
    expect(
      deviceFailure('webgpu', 'Fatal error: com.microsoft:Foo(-1) is not a registered function/op'),
    ).toBeUndefined();
  });
});

test('on WebGPU every output is fetched, elsewhere what is wanted', () => {
  expect(fetchesOn('webgpu', ['logits'])).toBeUndefined();
  expect(fetchesOn('cpu', ['logits'])).toEqual(['logits']);
  expect(fetchesOn('cuda', undefined)).toBeUndefined();
});

describe('with the runtime of this machine', () => {
  test('a device that this runtime does not have is refused before the model is read', async () => {
    const absent = DEVICES.find((device) => !supported.includes(device));
    if (absent === undefined) throw new Error('no platform has all of them');
    const folder = { ...(await findModel(DEMO_FOLDER)), graph: 'onnx/absent.onnx' };
    await expect(loadModel(folder, { threads: 1, device: absent })).rejects.toMatchObject({
      code: 'argument',
      path: 'device',
    });
  });

  // Where there is a graphics device the model simply loads: both ends are right.
  test('WebGPU loads the model or is refused in one line', async () => {
    const device = 'webgpu';
    try {
      const { model, header } = await loadModel(await findModel(DEMO_FOLDER), { threads: 1, device });
      await model.session.release();
      expect(header.environment).toMatchObject({ device, execution_provider: 'WebGpuExecutionProvider' });
    } catch (error) {
      if (!(error instanceof TokenscopeError)) throw error;
      expect(error.code).toBe('argument');
      expect(error.line).toMatch(/^device: webgpu .*\(.*\)$/);
      expect(error.line).not.toMatch(/\n|\.cc:/);
    }
  });

  test('auto runs on something and says what it passed over', async () => {
    const { model, header } = await loadModel(await findModel(DEMO_FOLDER), { threads: 1, device: 'auto' });
    await model.session.release();
    const { device, execution_provider: provider, device_note: note } = header.environment;
    const { inUse } = model.session;
    expect([device, provider]).toEqual([inUse.device, providerOf(inUse.device)]);
    const preferred = devicesToTry('auto', supported);
    const passedOver = preferred.slice(0, preferred.indexOf(inUse.device));
    for (const each of passedOver) expect(note).toContain(`${each} cannot be used here: `);
    if (passedOver.length === 0) expect(note).toBeUndefined();
    expect(note ?? '').not.toMatch(/\n|\.cc:|use cpu/);
  });

  test('a plan names a device, and only one that exists', () => {
    const plan = { runs: [{ name: 'a', prompt: 'b' }] };
    expect(planSchema.parse(plan).device).toBe('cpu');
    expect(planSchema.parse({ ...plan, device: 'auto' }).device).toBe('auto');
    expect(planSchema.safeParse({ ...plan, device: 'npu' }).error?.issues[0]?.message).toBe(
      'device must be one of cpu, webgpu, cuda, coreml, dml, auto',
    );
  });
});

function lineOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof TokenscopeError) return error.line;
  }
  throw new Error('was expected to be refused');
}
