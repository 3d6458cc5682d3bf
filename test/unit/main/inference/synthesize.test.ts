import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readGraph } from '../../../../main/inference/onnx-graph.ts';
import { synthesize } from '../../../../main/inference/synthesize.ts';
import { findModel } from '../../../../main/model-folder.ts';
import { TokenscopeError } from '../../../../shared/errors.ts';
import type { SynthesizeRequest } from '../../../../shared/messages.ts';
import { presetNamed } from '../../../../shared/presets.ts';
import { DEMO_FOLDER } from '../../../support/demo.ts';
import { temporaryFolder } from '../../../support/onnx-file.ts';

function ask(out: string, change: Partial<SynthesizeRequest> = {}): SynthesizeRequest {
  return { preset: 'tiny', config: null, out, seed: 1, force: false, tokenizer_from: DEMO_FOLDER, ...change };
}

async function refusalOf(request: SynthesizeRequest): Promise<string> {
  const error: unknown = await synthesize(request).catch((thrown: unknown) => thrown);
  if (!(error instanceof TokenscopeError)) throw new Error('not refused');
  expect(error.line).not.toContain('\n');
  return error.line;
}

function hashes(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    names.map((entry) => {
      const bytes = readFileSync(join(entry.parentPath, entry.name));
      return [entry.name, createHash('sha256').update(bytes).digest('hex')];
    }),
  );
}

function configFile(content: unknown, folder = temporaryFolder()): string {
  const path = join(folder, 'config.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

describe('the folder', () => {
  test('is a complete model that says it is synthetic', async () => {
    const parent = temporaryFolder();
    const out = join(parent, 'tiny');
    const progress: [number, number][] = [];
    const result = await synthesize(ask(out), { onProgress: (done, total) => progress.push([done, total]) });
    const model = await findModel(out);
    expect(model.weights).toBe('synthetic');
    expect(model.id).toBe('synthetic/tiny');
    expect(model.eosTokenIds).toEqual([1535, 1533]);
    expect(model.padTokenId).toBe(1533);
    expect(model.files.map(({ path }) => path)).toContain('onnx/model.onnx_data');
    const config = JSON.parse(readFileSync(join(out, 'config.json'), 'utf8'));
    expect(config.tokenscope).toEqual({ weights: 'synthetic', seed: 1, preset: 'tiny' });
    expect(config.hidden_size).toBe(64);
    const graph = readGraph(join(out, 'onnx/model.onnx'));
    expect(result).toEqual({ directory: out, parameters: graph.parameters, bytes: expect.any(Number) });
    expect(graph.parameters).toBe(203_488);
    expect(progress.at(-1)).toEqual([393_216, 393_216]);
    expect(readdirSync(parent)).toEqual(['tiny']);
    expect(readFileSync(join(out, 'README.md'), 'utf8')).toContain('random numbers (seed 1)');
  });

  test('has every large weight at a multiple of 64 KiB', async () => {
    const out = join(temporaryFolder(), 'm');
    const { name: _, ...shape } = {
      name: '',
      ...presetNamed('tiny')?.config,
      hidden_size: 128,
      intermediate_size: 300,
    };
    await synthesize(ask(out, { preset: null, config: configFile({ ...shape, eos_token_id: 1535 }) }));
    const external = readGraph(join(out, 'onnx/model.onnx')).model.graph.initializer.filter((weight) =>
      weight.externalData.some(({ value }) => value === 'model.onnx_data'),
    );
    expect(external.length).toBeGreaterThan(4);
    for (const weight of external) {
      expect(Number(weight.externalData.find(({ key }) => key === 'offset')?.value) % 65_536).toBe(0);
    }
  });

  test('is the same for the same seed, and another for another', async () => {
    const parent = temporaryFolder();
    for (const [name, seed] of [
      ['a', 5],
      ['b', 5],
      ['c', 6],
    ] as const)
      await synthesize(ask(join(parent, name), { seed }));
    expect(hashes(join(parent, 'a'))).toEqual(hashes(join(parent, 'b')));
    expect(hashes(join(parent, 'a'))['model.onnx_data']).not.toBe(hashes(join(parent, 'c'))['model.onnx_data']);
    // The same on every machine: random numbers are integer arithmetic, and rounding to float32 is exact.
    expect(hashes(join(parent, 'a'))['model.onnx_data']).toBe(
      'e7bf7c7e14ffcbbc5569b2507a5f2c78e7201318f936bf1a00ac36ecb94915f9',
    );
  });
});

describe('a target that is not free', () => {
  test('with files in it is left alone', async () => {
    const out = temporaryFolder();
    writeFileSync(join(out, 'thesis.txt'), 'years of work');
    expect(await refusalOf(ask(out))).toBe(
      `${out}: already holds 1 files or folders (choose another folder, or --force to replace a synthesized model)`,
    );
    expect(await refusalOf(ask(out, { force: true }))).toBe(
      `${out}: holds something other than a synthesized model, which is not replaced (choose another folder)`,
    );
    expect(readdirSync(out)).toEqual(['thesis.txt']);
  });

  test('with a synthesized model in it is replaced by force only', async () => {
    const out = join(temporaryFolder(), 'm');
    await synthesize(ask(out, { seed: 1 }));
    const before = hashes(out);
    expect(await refusalOf(ask(out, { seed: 2 }))).toContain('already holds 7 files or folders');
    expect(hashes(out)).toEqual(before);
    await synthesize(ask(out, { seed: 2, force: true }));
    expect(hashes(out)['model.onnx_data']).not.toBe(before['model.onnx_data']);
    expect(readdirSync(join(out, '..'))).toEqual(['m']);
  });

  test('is a file', async () => {
    const path = configFile('{}');
    expect(await refusalOf(ask(path))).toBe(`${path}: is a file, a model is a folder`);
    expect(await refusalOf(ask(join(path, 'm')))).toContain('cannot be written to');
  });

  test('that exists and is empty is used', async () => {
    const out = join(temporaryFolder(), 'm');
    mkdirSync(out);
    await synthesize(ask(out));
    expect(existsSync(join(out, 'config.json'))).toBe(true);
  });
});

describe('a synthesis that does not end leaves nothing', () => {
  test('cancelled before it began', async () => {
    const parent = temporaryFolder();
    expect(await synthesize(ask(join(parent, 'm')), { signal: AbortSignal.abort() })).toBeUndefined();
    expect(readdirSync(parent)).toEqual([]);
  });

  test('cancelled in the middle', async () => {
    const parent = temporaryFolder();
    const control = new AbortController();
    const onProgress = () => control.abort();
    expect(await synthesize(ask(join(parent, 'm')), { signal: control.signal, onProgress })).toBeUndefined();
    expect(readdirSync(parent)).toEqual([]);
  });

  test('failed in the middle', async () => {
    const parent = temporaryFolder();
    const failing = synthesize(ask(join(parent, 'm')), {
      onProgress() {
        throw new Error('the disk is gone');
      },
    });
    await expect(failing).rejects.toThrow('cannot be written: the disk is gone');
    expect(readdirSync(parent)).toEqual([]);
  });

  test('too large for the disk, with both figures', async () => {
    const parent = temporaryFolder();
    const huge = { ...presetNamed('qwen2.5-0.5b')?.config, num_hidden_layers: 1000, intermediate_size: 9_000_000 };
    const line = await refusalOf(
      ask(join(parent, 'm'), { preset: null, config: configFile({ ...huge, eos_token_id: 1 }) }),
    );
    expect(line).toMatch(/has .+B free, the model needs 96\.8 TB \(free some space or choose another disk\)/);
    expect(readdirSync(parent)).toEqual([]);
  });
});

describe('a request that makes no sense', () => {
  const folder = temporaryName();
  test.each<[Partial<SynthesizeRequest>, string]>([
    [
      { preset: 'gpt-5' },
      'there is no preset "gpt-5" (presets: tiny, smollm2-135m, qwen2.5-0.5b, qwen3-0.6b, llama-3.2-1b)',
    ],
    [{ preset: null }, 'name either a preset or a config.json, not both'],
    [{ config: 'config.json' }, 'name either a preset or a config.json, not both'],
    [{ seed: -1 }, 'seed is -1, it must be a whole number from 0 to 9007199254740991'],
    [{ seed: 0.5 }, 'seed is 0.5, it must be a whole number from 0 to 9007199254740991'],
  ])('%j', async (change, line) => {
    expect(await refusalOf(ask(folder, change))).toBe(line);
    expect(existsSync(folder)).toBe(false);
  });

  test.each<[unknown, RegExp]>([
    ['', /cannot be read as a configuration: /],
    ['[1]', /cannot be read as a configuration: it holds no JSON object/],
    ['{"model_type": "gpt2"}', /hidden_size: /],
    [{ ...presetNamed('tiny')?.config, vocab_size: 300 }, /vocab_size is 300, the tokenizer needs at least 1536/],
    [{ ...presetNamed('tiny')?.config, eos_token_id: 'end' }, /eos_token_id: /],
  ])('a configuration of %j', async (content, line) => {
    expect(await refusalOf(ask(folder, { preset: null, config: configFile(content) }))).toMatch(line);
    expect(existsSync(folder)).toBe(false);
  });

  test('a base tokenizer that is not there', async () => {
    expect(await refusalOf(ask(folder, { tokenizer_from: folder }))).toContain('cannot serve as a base tokenizer');
  });
});

test('weights are streamed: a model of 540 MB takes less than 200 MB of memory', async () => {
  const out = join(temporaryFolder(), 'm');
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let most = 0;
  const onProgress = () => {
    most = Math.max(most, process.memoryUsage().rss - before);
  };
  const result = await synthesize(ask(out, { preset: 'smollm2-135m' }), { onProgress });
  expect(result?.parameters).toBe(134_515_008);
  expect(statSync(join(out, 'onnx/model.onnx_data')).size).toBeGreaterThan(537_000_000);
  expect(most).toBeLessThan(200e6);
});

/** A path where nothing is. */
function temporaryName(): string {
  return join(DEMO_FOLDER, '../no-such-folder-for-tests');
}
