import { join } from 'node:path';
import { Tensor } from 'onnxruntime-node';
import { describe, expect, onTestFinished, test } from 'vitest';
import { limitLogits, LOGITS_START, readGraph, serializeGraph } from '../../../../main/inference/onnx-graph.ts';
import {
  createLimitedSession,
  createSession,
  decoderFeeds,
  floats,
  int64,
  largestDifference,
} from '../../../support/decoder-runtime.ts';
import { DEMO_FOLDER } from '../../../support/demo.ts';
import {
  FLOAT,
  FLOAT16,
  INT64,
  INT8,
  modelBytes,
  node,
  onnxFile,
  tensor,
  UINT8,
  value,
} from '../../../support/onnx-file.ts';
import type { SmallModel } from '../../../support/onnx-file.ts';

const LAST = -1n;
const ALL = 0n;
const NONE = 2n ** 63n - 1n;

describe.each([
  ['model.onnx', 0],
  // The int8 variant unpacks its head at run time: another order of the same sums.
  ['model_int8.onnx', 1e-5],
])('the demo model, %s', (file, tolerance) => {
  const path = join(DEMO_FOLDER, 'onnx', file);
  const rows = [
    Array.from({ length: 40 }, (_, index) => (index * 37) % 1500),
    Array.from({ length: 40 }, (_, index) => (index * 91 + 7) % 1500),
  ];

  test('gives the last position, all or none, and always the same cache', async () => {
    const original = await createSession(path);
    const limited = await createLimitedSession(path);
    onTestFinished(async () => {
      await original.release();
      await limited.release();
    });
    const expected = await original.run(decoderFeeds(original, rows));
    const feeds = decoderFeeds(limited, rows);
    const whole = floats(expected['logits']);
    const lastRows = [39, 79].flatMap((row) => [...whole.subarray(row * 1536, (row + 1) * 1536)]);
    for (const [start, length, logits] of [
      [LAST, 1, lastRows],
      [ALL, 40, whole],
      [NONE, 0, []],
    ] as const) {
      const results = await limited.run({ ...feeds, [LOGITS_START]: int64([start], [1]) });
      expect(results['logits']?.dims).toEqual([2, length, 1536]);
      expect(largestDifference(floats(results['logits']), logits)).toBeLessThanOrEqual(tolerance);
      for (const name of limited.outputNames.filter((output) => output !== 'logits')) {
        expect(results[name]?.dims).toEqual(expected[name]?.dims);
        expect(largestDifference(floats(results[name]), floats(expected[name]))).toBe(0);
      }
    }
  });

  test('is not changed itself', () => {
    const graph = readGraph(path);
    const before = graph.model.graph.node.length;
    const limited = limitLogits(graph);
    expect(limited.kind).toBe('limited');
    expect(graph.model.graph.node.length).toBe(before);
    expect(graph.inputs.some(({ name }) => name === LOGITS_START)).toBe(false);
  });
});

const IDS = [value('input_ids', INT64, ['batch', 'sequence'])];
const lookup = node('Gather', ['table', 'input_ids'], ['hidden']);
const table = tensor('table', FLOAT, [16, 32]);
const matrix = tensor('matrix', FLOAT, [32, 8]);

function limit(model: SmallModel) {
  return limitLogits(readGraph(onnxFile(modelBytes({ inputs: IDS, ...model }))));
}

describe('the head is found', () => {
  const heads: [string, SmallModel, number][] = [
    [
      'in front of a bias',
      {
        nodes: [lookup, node('MatMul', ['hidden', 'matrix'], ['m']), node('Add', ['bias', 'm'], ['logits'])],
        initializers: [table, matrix, tensor('bias', FLOAT, [8])],
      },
      0,
    ],
    [
      'in front of a soft cap',
      {
        nodes: [
          lookup,
          node('MatMul', ['hidden', 'matrix'], ['m']),
          node('Div', ['m', 'cap'], ['d']),
          node('Tanh', ['d'], ['t']),
          node('Mul', ['t', 'cap'], ['logits']),
        ],
        initializers: [table, matrix, tensor('cap', FLOAT, [1], [3])],
      },
      0,
    ],
    [
      'in float16 with a cast behind it',
      {
        nodes: [
          lookup,
          node('Cast', ['hidden'], ['half'], { to: 10 }),
          node('MatMul', ['half', 'matrix'], ['m']),
          node('Cast', ['m'], ['logits'], { to: 1 }),
        ],
        initializers: [table, tensor('matrix', FLOAT16, [32, 8])],
        valueInfo: [value('m', FLOAT16, ['batch', 'sequence', 8])],
      },
      0,
    ],
    [
      'as MatMulNBits',
      {
        nodes: [
          lookup,
          node('MatMulNBits', ['hidden', 'packed', 'scales'], ['logits'], { K: 32, N: 8, bits: 4, block_size: 32 }),
        ],
        initializers: [table, tensor('packed', UINT8, [8, 1, 16]), tensor('scales', FLOAT, [8])],
      },
      1e-5,
    ],
    [
      'as a dynamically quantized product',
      {
        nodes: [
          lookup,
          node('DynamicQuantizeLinear', ['hidden'], ['q', 'q_scale', 'q_zero']),
          node('MatMulInteger', ['q', 'int_matrix', 'q_zero'], ['sums']),
          node('Cast', ['sums'], ['float_sums'], { to: 1 }),
          node('Mul', ['q_scale', 'matrix_scale'], ['scale']),
          node('Mul', ['float_sums', 'scale'], ['logits']),
        ],
        initializers: [table, tensor('int_matrix', INT8, [32, 8]), tensor('matrix_scale', FLOAT, [8])],
      },
      1e-5,
    ],
    [
      'with an unpacked, turned matrix',
      {
        nodes: [
          lookup,
          node('DequantizeLinear', ['int_table', 'int_scale'], ['f']),
          node('Transpose', ['f'], ['turned'], { perm: [1, 0] }),
          node('MatMul', ['hidden', 'turned'], ['logits']),
        ],
        initializers: [table, tensor('int_table', INT8, [8, 32]), tensor('int_scale', FLOAT, [1])],
      },
      1e-5,
    ],
  ];

  test.each(heads)('%s', async (_, model, tolerance) => {
    const path = onnxFile(modelBytes({ inputs: IDS, ...model }));
    const limited = limitLogits(readGraph(path));
    if (limited.kind !== 'limited') throw new Error(JSON.stringify(limited));
    const original = await createSession(path);
    const edited = await createSession(serializeGraph(limited.graph), limited.graph.directory);
    onTestFinished(async () => {
      await original.release();
      await edited.release();
    });
    const feeds = { input_ids: int64([1, 2, 3, 15, 4], [1, 5]) };
    const whole = floats((await original.run(feeds))['logits']);
    for (const [start, length] of [
      [LAST, 1],
      [ALL, 5],
      [NONE, 0],
    ] as const) {
      const { logits } = await edited.run({ ...feeds, [LOGITS_START]: int64([start], [1]) });
      expect(logits?.dims).toEqual([1, length, 8]);
      expect(largestDifference(floats(logits), whole.subarray((5 - length) * 8))).toBeLessThanOrEqual(tolerance);
    }
  });
});

describe('the graph stays as it is', () => {
  const plain = { nodes: [lookup, node('MatMul', ['hidden', 'matrix'], ['logits'])], initializers: [table, matrix] };

  test('where it has an input of its own', () => {
    expect(limit({ ...plain, inputs: [...IDS, value('num_logits_to_keep', INT64, [])] })).toEqual({
      kind: 'native',
      input: 'num_logits_to_keep',
    });
  });

  const reasons: [string, SmallModel, string][] = [
    [
      'with another consumer of the logits',
      {
        ...plain,
        nodes: [...plain.nodes, node('Identity', ['logits'], ['copy'])],
        outputs: [value('logits', FLOAT, ['b', 's', 8]), value('copy', FLOAT, ['b', 's', 8])],
      },
      'the value "logits" between the head and the logits is used elsewhere as well',
    ],
    [
      'with an output in front of the logits',
      {
        initializers: [table, matrix],
        nodes: [lookup, node('MatMul', ['hidden', 'matrix'], ['m']), node('Identity', ['m'], ['logits'])],
        outputs: [value('logits', FLOAT, ['b', 's', 8]), value('m', FLOAT, ['b', 's', 8])],
      },
      'the value "m" between the head and the logits is used elsewhere as well',
    ],
    [
      'with a head that is reshaped',
      {
        initializers: [table, matrix, tensor('shape', INT64, [3], [0, 0, 8])],
        nodes: [lookup, node('MatMul', ['hidden', 'matrix'], ['m']), node('Reshape', ['m', 'shape'], ['logits'])],
      },
      'the logits come from Reshape "Reshape_logits", which is not a known head',
    ],
    [
      'with a matrix that is computed from the prompt',
      {
        initializers: [table],
        nodes: [
          lookup,
          node('Transpose', ['hidden'], ['turned'], { perm: [0, 2, 1] }),
          node('MatMul', ['hidden', 'turned'], ['logits']),
        ],
      },
      'the logits come from MatMul "MatMul_logits", which is not a known head',
    ],
    [
      'with a bias for each position',
      {
        initializers: [table, matrix, tensor('bias', FLOAT, [5, 8])],
        nodes: [lookup, node('MatMul', ['hidden', 'matrix'], ['m']), node('Add', ['m', 'bias'], ['logits'])],
      },
      'the logits come from Add "Add_logits", which is not a known head',
    ],
    ['with an old operator set', { ...plain, opset: 9n }, 'operator set 9 has no Slice with bounds as inputs'],
    [
      'without logits',
      { ...plain, outputs: [value('scores', FLOAT, ['b', 's', 8])] },
      'the graph has no output "logits"',
    ],
    [
      'with flat logits',
      { ...plain, outputs: [value('logits', FLOAT, ['b', 8])] },
      'the output "logits" has 2 dimensions instead of 3',
    ],
  ];
  test.each(reasons)('%s', (_, model, reason) => {
    expect(limit(model)).toEqual({ kind: 'unchanged', reason });
  });
});

test('a second limit is refused, and an edited graph can be run again from its bytes', async () => {
  const nodes = [lookup, node('MatMul', ['hidden', 'matrix'], ['logits'])];
  const first = limit({ nodes, initializers: [tensor('table', FLOAT, [16, 8]), tensor('matrix', FLOAT, [8, 8])] });
  if (first.kind !== 'limited') throw new Error('not limited');
  const path = onnxFile(serializeGraph(first.graph));
  expect(limitLogits(readGraph(path))).toEqual({
    kind: 'unchanged',
    reason: 'the graph already has values of the name "tokenscope."',
  });
  const session = await createSession(path);
  const { logits } = await session.run({ input_ids: int64([1, 2], [1, 2]), [LOGITS_START]: int64([LAST], [1]) });
  expect(logits).toBeInstanceOf(Tensor);
  await session.release();
});
