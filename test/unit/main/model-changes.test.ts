import { appendFileSync, cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { DEMO_MODEL } from '../../../main/app-paths.ts';
import { checkLoaded, rewrittenSince } from '../../../main/model-changes.ts';
import { findModel } from '../../../main/model-folder.ts';
import type { ModelFolder } from '../../../shared/model-folder.ts';
import { temporaryFolder } from '../../support/profiler.ts';

let folder: ModelFolder;
let config: string;
beforeEach(async () => {
  const directory = join(temporaryFolder(), 'model');
  cpSync(DEMO_MODEL, directory, { recursive: true });
  folder = await findModel(directory);
  config = join(directory, 'config.json');
});

test('a folder as it was passes', async () => {
  await expect(checkLoaded(folder)).resolves.toBeUndefined();
  expect(await rewrittenSince(folder)).toBeUndefined();
});

test('the same content written again passes: the hash in the record is still right', async () => {
  writeFileSync(config, readFileSync(config));
  await expect(checkLoaded(folder)).resolves.toBeUndefined();
  expect(await rewrittenSince(folder)).toBeUndefined();
});

test('a file that changed between its hash and the load is refused by name, replaced or written over', async () => {
  appendFileSync(config, '\n');
  await expect(checkLoaded(folder)).rejects.toMatchObject({
    code: 'model',
    message: 'config.json changed while the model was loaded',
  });
  const before = readFileSync(config);
  rmSync(config);
  writeFileSync(config, `${before.toString()} `);
  await expect(checkLoaded(folder)).rejects.toThrow('config.json changed');
  rmSync(config);
  await expect(checkLoaded(folder)).rejects.toThrow(/config\.json/);
});

test('after the run only weights that were written in their place count', async () => {
  appendFileSync(config, '\n');
  expect(await rewrittenSince(folder)).toBeUndefined();
  const graph = join(folder.directory, folder.graph);
  const bytes = readFileSync(graph);
  appendFileSync(graph, '\n');
  const words = 'onnx/model.onnx was written over during the run, so what was measured may be of other weights';
  expect(await rewrittenSince(folder)).toBe(words);
  writeFileSync(graph, bytes.fill(0, 0, 100));
  expect(await rewrittenSince(folder)).toBe(words);
  writeFileSync(`${graph}.new`, bytes);
  renameSync(`${graph}.new`, graph);
  expect(await rewrittenSince(folder)).toBeUndefined();
  rmSync(graph);
  expect(await rewrittenSince(folder)).toBeUndefined();
});
