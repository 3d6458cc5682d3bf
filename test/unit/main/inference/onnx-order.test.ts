import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readGraph, serializeGraph, transposedFirst } from '../../../../main/inference/onnx-graph.ts';
import { createSession, decoderFeeds, floats, largestDifference } from '../../../support/decoder-runtime.ts';
import { DEMO_FOLDER } from '../../../support/demo.ts';
import { FLOAT, INT64, modelBytes, node, onnxFile, tensor, value } from '../../../support/onnx-file.ts';

const inputs = [value('input_ids', INT64, ['batch', 'sequence'])];
const lookup = node('Gather', ['table', 'input_ids'], ['hidden']);
const table = tensor('table', FLOAT, [16, 32]);

const namesOf = (graph: ReturnType<typeof transposedFirst>) => graph.model.graph!.node.map(({ opType }) => opType);

test('a head that shares the table of embeddings comes first, in a copy', () => {
  const nodes = [lookup, node('Transpose', ['table'], ['turned']), node('MatMul', ['hidden', 'turned'], ['logits'])];
  const graph = readGraph(onnxFile(modelBytes({ inputs, nodes, initializers: [table] })));
  expect(namesOf(transposedFirst(graph))).toEqual(['MatMul', 'Gather', 'Transpose']);
  expect(namesOf(graph)).toEqual(['Gather', 'Transpose', 'MatMul']);
});

test('a graph without one stays as it is', () => {
  const matrix = tensor('matrix', FLOAT, [32, 8]);
  const turned = node('Transpose', ['hidden'], ['turned'], { perm: [0, 2, 1] });
  for (const [nodes, initializers] of [
    [
      [lookup, node('MatMul', ['hidden', 'matrix'], ['logits'])],
      [table, matrix],
    ],
    // A matrix that is computed from the prompt is no weight.
    [[lookup, turned, node('MatMul', ['hidden', 'turned'], ['logits'])], [table]],
  ] as const) {
    const graph = readGraph(onnxFile(modelBytes({ inputs, nodes: [...nodes], initializers: [...initializers] })));
    expect(transposedFirst(graph).model).toBe(graph.model);
  }
});

test('the runtime computes the same, bit by bit', async () => {
  const path = join(DEMO_FOLDER, 'onnx/model.onnx');
  const ordered = transposedFirst(readGraph(path));
  expect(namesOf(ordered)[0]).toBe('MatMul');
  const original = await createSession(path);
  const reordered = await createSession(serializeGraph(ordered), ordered.directory);
  onTestFinished(async () => {
    await original.release();
    await reordered.release();
  });
  const rows = [Array.from({ length: 30 }, (_, index) => (index * 37) % 1500)];
  const expected = await original.run(decoderFeeds(original, rows));
  const found = await reordered.run(decoderFeeds(reordered, rows));
  for (const name of original.outputNames) {
    expect(largestDifference(floats(found[name]), floats(expected[name]))).toBe(0);
  }
});
