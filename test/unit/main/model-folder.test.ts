import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findModel } from '../../../main/model-folder.ts';
import { modelFolderSchema } from '../../../shared/model-folder.ts';
import { DEMO_FOLDER } from '../../support/demo.ts';

let model: string;
beforeEach(async () => {
  model = await mkdtemp(join(tmpdir(), 'tokenscope-model-'));
  await cp(DEMO_FOLDER, model, { recursive: true });
});
afterEach(() => rm(model, { recursive: true }));

async function change(file: string, fields: Record<string, unknown>): Promise<void> {
  const path = join(model, file);
  const value = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
  await writeFile(path, JSON.stringify({ ...value, ...fields }));
}

describe('a model folder', () => {
  test('is read with every file it depends on, hashed', async () => {
    const found = await findModel(model);
    expect(modelFolderSchema.safeParse(found).success).toBe(true);
    expect(found).toMatchObject({
      id: basename(model),
      graph: 'onnx/model.onnx',
      eosTokenIds: [1535, 1533],
      padTokenId: 1533,
      weights: 'trained',
    });
    expect(found.files.map((file) => file.path)).toEqual([
      'config.json',
      'generation_config.json',
      'tokenizer.json',
      'tokenizer_config.json',
      'onnx/model.onnx',
    ]);
    for (const file of found.files) {
      const content = await readFile(join(model, file.path));
      expect(file).toEqual({
        ...file,
        bytes: content.length,
        sha256: createHash('sha256').update(content).digest('hex'),
      });
    }
  });

  test('counts hashed bytes up to their sum', async () => {
    const told: [number, number][] = [];
    const found = await findModel(model, { onHash: (done, total) => told.push([done, total]) });
    const sum = found.files.reduce((bytes, file) => bytes + file.bytes, 0);
    expect(told.at(-1)).toEqual([sum, sum]);
    expect(told.every(([done], index) => index === 0 || done > told[index - 1]![0])).toBe(true);
  });

  test('takes its end of text from generation_config.json, else from config.json, as one or as several', async () => {
    await change('generation_config.json', { eos_token_id: 7 });
    expect((await findModel(model)).eosTokenIds).toEqual([7]);
    await rm(join(model, 'generation_config.json'));
    expect(await findModel(model)).toMatchObject({ eosTokenIds: [1535], padTokenId: 1535 });
    await change('config.json', { eos_token_id: [3, 4] });
    expect((await findModel(model)).eosTokenIds).toEqual([3, 4]);
    await change('config.json', { eos_token_id: null });
    expect(await findModel(model)).toMatchObject({ eosTokenIds: [], padTokenId: 0 });
  });

  test('prefers the most exact graph, and takes another where it is named or alone', async () => {
    expect((await findModel(model, { graph: 'model_int8.onnx' })).graph).toBe('onnx/model_int8.onnx');
    await rm(join(model, 'onnx/model.onnx'));
    expect((await findModel(model)).graph).toBe('onnx/model_int8.onnx');
    await rename(join(model, 'onnx/model_int8.onnx'), join(model, 'onnx/decoder.onnx'));
    expect((await findModel(model)).graph).toBe('onnx/decoder.onnx');
  });

  test('includes the data files that belong to its graph, and no others', async () => {
    for (const name of ['model.onnx_data', 'model.onnx_data_1', 'model_q4.onnx_data', 'notes.txt']) {
      await writeFile(join(model, 'onnx', name), name);
    }
    const paths = (await findModel(model)).files.map((file) => file.path);
    expect(paths.filter((path) => path.startsWith('onnx/'))).toEqual([
      'onnx/model.onnx',
      'onnx/model.onnx_data',
      'onnx/model.onnx_data_1',
    ]);
  });

  test('says that its weights are random where they are', async () => {
    await change('config.json', { tokenscope: { weights: 'synthetic', seed: 1 } });
    expect((await findModel(model)).weights).toBe('synthetic');
  });
});

describe('is refused', () => {
  test.each([
    ['settings of a wrong type', { num_hidden_layers: 'four' }, /config\.json: num_hidden_layers/],
    ['settings below zero', { vocab_size: -1 }, /config\.json: vocab_size/],
  ])('for %s', async (_, fields, reason) => {
    await change('config.json', fields);
    await expect(findModel(model)).rejects.toSatisfy(
      (error: { line: string; code: string }) => reason.test(error.line) && error.code === 'model',
    );
  });

  test('for settings of many megabytes, unread', async () => {
    await writeFile(join(model, 'config.json'), ' '.repeat(2 << 20));
    await expect(findModel(model)).rejects.toThrow(/is not a settings file \(2097152 bytes\)/);
  });
});
