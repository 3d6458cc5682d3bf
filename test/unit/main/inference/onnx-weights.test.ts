import { expect, test } from 'vitest';
import { readGraph } from '../../../../main/inference/onnx-graph.ts';
import {
  constantNode,
  externalTensor,
  FLOAT,
  FLOAT16,
  INT32,
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

const IDS = [value('input_ids', INT64, ['batch', 'sequence']), value('position_ids', INT64, ['batch', 'sequence'])];

function count(model: SmallModel) {
  const { parameters, weightBytes, weightTypes } = readGraph(onnxFile(modelBytes({ inputs: IDS, ...model })));
  return { parameters, weightBytes, weightTypes };
}

const lookup = node('Gather', ['table', 'input_ids'], ['hidden']);

test('shapes, epsilons, scales, masks and rotary frequencies are no weights', () => {
  const counted = count({
    nodes: [
      lookup,
      node('Cast', ['position_ids'], ['positions'], { to: 1 }),
      node('Mul', ['positions', 'frequencies'], ['angles']),
      node('Cos', ['angles'], ['cos']),
      node('Gather', ['sin_table', 'position_ids'], ['sin']),
      node('Mul', ['hidden', 'cos'], ['a']),
      node('Mul', ['a', 'sin'], ['b']),
      node('Mul', ['b', 'scale'], ['c']),
      node('Where', ['mask', 'c', 'drop'], ['d']),
      node('Reshape', ['d', 'shape'], ['logits']),
    ],
    initializers: [
      tensor('table', FLOAT, [10, 4]),
      tensor('frequencies', FLOAT, [4]),
      tensor('sin_table', FLOAT, [100, 4]),
      tensor('scale', FLOAT, [1]),
      tensor('drop', FLOAT, [4, 4]),
      tensor('shape', INT64, [3]),
    ],
  });
  expect(counted).toEqual({ parameters: 40, weightBytes: 160, weightTypes: { float32: 40 } });
});

test('biases, norms and learned positions are', () => {
  const counted = count({
    nodes: [
      lookup,
      node('Gather', ['positions_table', 'position_ids'], ['places']),
      node('Add', ['hidden', 'places'], ['a']),
      node('Mul', ['norm', 'a'], ['b']),
      node('MatMul', ['b', 'matrix'], ['c']),
      node('Add', ['bias', 'c'], ['logits']),
    ],
    initializers: [
      tensor('table', FLOAT, [10, 4]),
      tensor('positions_table', FLOAT, [100, 4]),
      tensor('norm', FLOAT, [4]),
      tensor('matrix', FLOAT, [4, 8]),
      tensor('bias', FLOAT, [8]),
    ],
  });
  expect(counted.parameters).toBe(40 + 400 + 4 + 32 + 8);
});

test('norms of 1 + weight, and constants in nodes', () => {
  const counted = count({
    nodes: [
      lookup,
      constantNode('one_norm', tensor('', FLOAT, [4])),
      node('Add', ['one_norm', 'one'], ['scale']),
      node('Mul', ['hidden', 'scale'], ['logits']),
    ],
    initializers: [tensor('table', FLOAT, [10, 4]), tensor('one', FLOAT, [1])],
  });
  expect(counted.parameters).toBe(44);
});

test('a tied head counts once, under two names of the same bytes as well', () => {
  const tied = count({
    nodes: [
      lookup,
      node('Transpose', ['table'], ['turned'], { perm: [1, 0] }),
      node('MatMul', ['hidden', 'turned'], ['logits']),
    ],
    initializers: [tensor('table', FLOAT, [10, 4])],
  });
  expect(tied.parameters).toBe(40);
  const path = onnxFile('');
  const stored = { location: 'model.onnx', offset: '0', length: '160' };
  onnxFile(
    modelBytes({
      inputs: IDS,
      nodes: [
        lookup,
        node('Transpose', ['head'], ['turned'], { perm: [1, 0] }),
        node('MatMul', ['hidden', 'turned'], ['logits']),
      ],
      initializers: [externalTensor('table', [10, 4], stored), externalTensor('head', [10, 4], stored)],
    }),
    path.slice(0, -'/model.onnx'.length),
  );
  expect(readGraph(path).parameters).toBe(40);
});

test('MatMulNBits counts K x N, and its packed bytes with scales and zero points', () => {
  const counted = count({
    nodes: [
      lookup,
      node('MatMulNBits', ['hidden', 'packed', 'scales', 'zeros'], ['logits'], {
        K: 64,
        N: 8,
        bits: 4,
        block_size: 32,
      }),
    ],
    initializers: [
      tensor('table', FLOAT16, [10, 64]),
      tensor('packed', UINT8, [8, 2, 16]),
      tensor('scales', FLOAT, [16]),
      tensor('zeros', UINT8, [8]),
    ],
  });
  expect(counted).toEqual({
    parameters: 640 + 512,
    weightBytes: 1280 + 256 + 64 + 8,
    weightTypes: { float16: 640, uint8: 512 },
  });
});

test('MatMulBnb4 counts K x N, and its packed bytes with its scales', () => {
  const counted = count({
    nodes: [
      lookup,
      node('MatMulBnb4', ['hidden', 'packed', 'absmax'], ['logits'], { K: 64, N: 8, quant_type: 1, block_size: 32 }),
    ],
    initializers: [tensor('table', FLOAT16, [10, 64]), tensor('packed', UINT8, [256]), tensor('absmax', FLOAT, [16])],
  });
  expect(counted).toEqual({
    parameters: 640 + 512,
    weightBytes: 1280 + 256 + 64,
    weightTypes: { float16: 640, uint8: 512 },
  });
});

test('GatherBlockQuantized counts its unpacked table, once with a head that shares it', () => {
  const counted = count({
    nodes: [
      node('GatherBlockQuantized', ['packed', 'input_ids', 'scales'], ['hidden'], { bits: 4, block_size: 32 }),
      node('MatMulNBits', ['hidden', 'packed', 'scales'], ['logits'], { K: 64, N: 10, bits: 4, block_size: 32 }),
    ],
    initializers: [tensor('packed', UINT8, [10, 32]), tensor('scales', FLOAT, [10, 2])],
  });
  expect(counted).toEqual({ parameters: 640, weightBytes: 320 + 80, weightTypes: { uint8: 640 } });
});

test('a dynamically quantized product counts its matrix, not its scales', () => {
  const counted = count({
    nodes: [
      lookup,
      node('DynamicQuantizeLinear', ['hidden'], ['q', 'q_scale', 'q_zero']),
      node('MatMulInteger', ['q', 'matrix', 'q_zero', 'zeros'], ['sums']),
      node('Cast', ['sums'], ['float_sums'], { to: 1 }),
      node('Mul', ['q_scale', 'matrix_scale'], ['scale']),
      node('Mul', ['float_sums', 'scale'], ['logits']),
    ],
    initializers: [
      tensor('table', FLOAT, [10, 4]),
      tensor('matrix', INT8, [4, 8]),
      tensor('zeros', INT8, [8]),
      tensor('matrix_scale', FLOAT, [8]),
    ],
  });
  expect(counted).toEqual({
    parameters: 40 + 32,
    weightBytes: 160 + 32 + 8 + 32,
    weightTypes: { float32: 40, int8: 32 },
  });
});

test('a dequantized bias of int32 is a weight, an int32 index is not', () => {
  const counted = count({
    nodes: [
      lookup,
      node('DequantizeLinear', ['bias', 'bias_scale'], ['float_bias']),
      node('Add', ['hidden', 'float_bias'], ['a']),
      node('GatherElements', ['a', 'index'], ['logits']),
    ],
    initializers: [
      tensor('table', FLOAT, [10, 4]),
      tensor('bias', INT32, [4]),
      tensor('bias_scale', FLOAT, [1]),
      tensor('index', INT32, [4]),
    ],
  });
  expect(counted).toEqual({ parameters: 44, weightBytes: 160 + 16 + 4, weightTypes: { float32: 40, int32: 4 } });
});

test('the rotary caches of GroupQueryAttention are no weights', () => {
  const counted = count({
    nodes: [
      lookup,
      node('GroupQueryAttention', ['hidden', 'hidden', 'hidden', '', '', 'seqlens', 'total', 'cos', 'sin'], ['logits']),
    ],
    initializers: [
      tensor('table', FLOAT, [10, 4]),
      tensor('cos', FLOAT, [100, 2]),
      tensor('sin', FLOAT, [100, 2]),
      tensor('seqlens', INT32, [4]),
      tensor('total', INT32, [1]),
    ],
  });
  expect(counted.parameters).toBe(40);
});
