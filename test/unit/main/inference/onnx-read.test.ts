import { execFileSync } from 'node:child_process';
import { appendFileSync, copyFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readGraph } from '../../../../main/inference/onnx-graph.ts';
import { TokenscopeError } from '../../../../shared/errors.ts';
import { DEMO_FOLDER } from '../../../support/demo.ts';
import {
  externalTensor,
  FLOAT,
  INT64,
  modelBytes,
  node,
  onnxFile,
  temporaryFolder,
  tensor,
  value,
} from '../../../support/onnx-file.ts';

const DEMO = join(DEMO_FOLDER, 'onnx/model.onnx');

/** The refusal of a file, which must be one line that begins with the file. */
function refusalOf(path: string): string {
  try {
    readGraph(path);
  } catch (error) {
    if (!(error instanceof TokenscopeError)) throw error;
    expect(error.line).not.toContain('\n');
    expect(error.line.startsWith(`${path}: `)).toBe(true);
    return error.line.slice(path.length + 2);
  }
  throw new Error('the file was not refused');
}

const small = () =>
  modelBytes({
    inputs: [value('input_ids', INT64, ['batch', 'sequence'])],
    nodes: [node('Gather', ['table', 'input_ids'], ['hidden']), node('MatMul', ['hidden', 'matrix'], ['logits'])],
    initializers: [tensor('table', FLOAT, [8, 64]), tensor('matrix', FLOAT, [64, 8])],
  });

describe('the demo model', () => {
  const graph = readGraph(DEMO);

  test('has the parameters and bytes of its card', () => {
    expect(graph.parameters).toBe(985_216);
    expect(graph.weightBytes).toBe(3_940_864);
    expect(graph.weightTypes).toEqual({ float32: 985_216 });
    expect(graph.fileBytes).toBe(3_991_647);
  });

  test('has as many parameters in its int8 variant, in a quarter of the bytes', () => {
    const int8 = readGraph(join(DEMO_FOLDER, 'onnx/model_int8.onnx'));
    expect(int8.parameters).toBe(985_216);
    expect(int8.weightTypes).toEqual({ int8: 983_040, float32: 2176 });
    // int8 matrices, their float32 scales and int8 zero points per channel, float32 biases and norms.
    expect(int8.weightBytes).toBe(983_040 + 6656 * (4 + 1) + 2176 * 4);
  });

  test('names its inputs and outputs with types and shapes', () => {
    expect(graph.inputs.map(({ name }) => name).slice(0, 4)).toEqual([
      'input_ids',
      'attention_mask',
      'position_ids',
      'past_key_values.0.key',
    ]);
    expect(graph.inputs[0]).toEqual({ name: 'input_ids', dtype: 'int64', shape: ['batch_size', 'sequence_length'] });
    expect(graph.inputs[3]?.shape).toEqual(['batch_size', 2, 'past_sequence_length', 32]);
    expect(graph.outputs[0]?.dtype).toBe('float32');
    expect(graph.opTypes.get('Softmax')).toBe(4);
    expect(graph.opTypes.has('GroupQueryAttention')).toBe(false);
    expect(graph.externalFiles).toEqual([]);
  });

  test('leaves the bytes of large weights in the file', () => {
    const held = graph.model.graph.initializer.reduce((sum, { rawData }) => sum + rawData.length, 0);
    expect(held).toBeLessThan(20_000);
    const table = graph.model.graph.initializer.find(({ name }) => name === 'model.embed_tokens.weight');
    const [location, offset, length] = table?.externalData.map((entry) => entry.value) ?? [];
    expect(location).toBe('model.onnx');
    expect(length).toBe(String(1536 * 128 * 4));
    const file = readFileSync(DEMO);
    // The name of the tensor (field 8) stands in front of its raw data: field 9, and the length as a varint.
    const name = Buffer.from('model.embed_tokens.weight');
    expect(file.subarray(Number(offset) - 4 - name.length, Number(offset) - 4).equals(name)).toBe(true);
  });
});

describe('weights beside the file', () => {
  function withExternal(entries: Record<string, string>, dataBytes: number | null, dims = [8, 64]): string {
    const path = onnxFile('');
    writeFileSync(
      path,
      modelBytes({
        inputs: [value('input_ids', INT64, ['batch', 'sequence'])],
        nodes: [node('Gather', ['table', 'input_ids'], ['logits'])],
        initializers: [externalTensor('table', dims, entries)],
      }),
    );
    if (dataBytes !== null) writeFileSync(join(path, '../model.onnx_data'), new Uint8Array(dataBytes));
    return path;
  }
  const good = { location: 'model.onnx_data', offset: '4096', length: '2048' };

  test('are found', () => {
    const graph = readGraph(withExternal(good, 6144));
    expect(graph.externalFiles).toEqual([{ path: 'model.onnx_data', bytes: 6144 }]);
    expect(graph.parameters).toBe(512);
  });

  test('may be given without offset and length', () => {
    expect(readGraph(withExternal({ location: 'model.onnx_data' }, 2048)).weightBytes).toBe(2048);
  });

  test.each([
    ['missing', good, null, 'weight table: its data file model.onnx_data is missing (put it beside the .onnx file)'],
    [
      'cut off',
      good,
      6143,
      'weight table: its data is 2048 bytes at offset 4096 of model.onnx_data, which has 6143 bytes (the data file may be cut off; fetch it again)',
    ],
    [
      'too few',
      { ...good, length: '2047' },
      6144,
      'weight table: its dimensions need 2048 bytes, its external data has 2047',
    ],
    ['above', { ...good, location: '../model.onnx_data' }, 6144, "outside of the model's folder"],
    ['absolute', { ...good, location: '/etc/passwd' }, 6144, "outside of the model's folder"],
    ['on a drive', { ...good, location: 'C:data' }, 6144, "outside of the model's folder"],
    ['with backslashes', { ...good, location: '..\\x' }, 6144, "outside of the model's folder"],
    ['nowhere', { offset: '0' }, 6144, "outside of the model's folder"],
    ['at a negative offset', { ...good, offset: '-1' }, 6144, 'has the offset "-1", which is not a byte count'],
    ['at an offset in words', { ...good, offset: 'ten' }, 6144, 'has the offset "ten", which is not a byte count'],
    ['in a folder', { ...good, location: '.' }, 6144, 'its data file . is missing'],
  ])('%s are refused', (_, entries, dataBytes, reason) => {
    expect(refusalOf(withExternal(entries, dataBytes))).toContain(reason);
  });

  test('whose dimensions are beyond any file are refused', () => {
    expect(refusalOf(withExternal(good, 6144, [2 ** 40, 2 ** 40]))).toContain(
      'its dimensions need 4835703278458516698824704 bytes',
    );
  });
});

describe('what is no ONNX model is refused in one line', () => {
  test('nothing at all', () => expect(refusalOf(onnxFile(''))).toBe('is empty, not an ONNX model'));
  test('a folder', () => expect(refusalOf(temporaryFolder())).toBe('is a folder, not a file'));
  test('a missing file', () => expect(refusalOf(join(temporaryFolder(), 'model.onnx'))).toBe('does not exist'));
  test('a pipe that nobody writes to', () => {
    const path = join(temporaryFolder(), 'model.onnx');
    execFileSync('mkfifo', [path]);
    expect(refusalOf(path)).toBe('is not a regular file');
  });
  test('a Git LFS pointer', () => {
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n';
    expect(refusalOf(onnxFile(pointer))).toBe(
      `is a Git LFS pointer of ${pointer.length} bytes, not the model (download the file itself, for example with git lfs pull)`,
    );
  });
  test.each(['{"architectures": []}', '<html><body>Not found</body></html>', 'hello', '\n\n\n', '# Model\n'])(
    'the text %j',
    (text) => {
      expect(refusalOf(onnxFile(text))).toMatch(/is not a complete ONNX model|is not an ONNX model/);
    },
  );
  test('a model without an operator set', () => {
    const bytes = small();
    // The operator set of the standard domain is the last field: tag, length, domain '', version 17.
    expect(refusalOf(onnxFile(bytes.slice(0, -6)))).toContain('is not a complete ONNX model: it names no operator set');
  });
  test('a graph without nodes', () => {
    expect(refusalOf(onnxFile(modelBytes({ nodes: [] })))).toBe('is not an ONNX model: it has 0 nodes and 1 outputs');
  });
  test('a weight with too few bytes', () => {
    const cut = { ...tensor('table', FLOAT, [8, 64]), dims: [8n, 65n] };
    const nodes = [node('Gather', ['table', 'input_ids'], ['logits'])];
    expect(refusalOf(onnxFile(modelBytes({ nodes, initializers: [cut] })))).toBe(
      'weight table: its dimensions need 2080 bytes, its external data has 2048',
    );
    const tiny = { ...tensor('bias', FLOAT, [4]), dims: [5n] };
    expect(refusalOf(onnxFile(modelBytes({ nodes, initializers: [tiny] })))).toBe(
      'weight bias: its dimensions [5] need 20 bytes, it has 16',
    );
    const negative = { ...tensor('bias', FLOAT, [4]), dims: [-4n] };
    expect(refusalOf(onnxFile(modelBytes({ nodes, initializers: [negative] })))).toBe(
      'weight bias has the dimensions [-4]',
    );
  });
});

describe('a cut or changed file', () => {
  test('is refused wherever the demo model is cut', () => {
    const path = join(temporaryFolder(), 'model.onnx');
    copyFileSync(DEMO, path);
    const size = readFileSync(DEMO).length;
    const places = new Set([size - 1, size - 2, size - 3, 3_900_000, 800_000, 1000, 100, 50, 20, 10, 5, 3, 2, 1]);
    for (let part = 1; part < 60; part += 1) places.add(Math.floor((size * part) / 60));
    for (const place of [...places].sort((a, b) => b - a)) {
      truncateSync(path, place);
      expect(refusalOf(path)).toMatch(/is not a(n| complete) ONNX model/);
    }
  });

  test('is refused wherever a small model is cut, and names the byte', () => {
    const bytes = small();
    const path = onnxFile(bytes);
    for (let length = bytes.length - 1; length > 0; length -= 1) {
      truncateSync(path, length);
      expect(refusalOf(path)).toMatch(/is not a(n| complete) ONNX model/);
    }
    expect(refusalOf(onnxFile(bytes.slice(0, 1000)))).toMatch(
      /byte \d+ of 1000 has field 7 of \d+ bytes with \d+ left/,
    );
  });

  test('never ends in anything but a refusal or a graph, whatever byte is changed', () => {
    const bytes = small();
    const folder = temporaryFolder();
    let random = 1;
    const next = (bound: number) => {
      random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
      return (random >>> 8) % bound;
    };
    for (let round = 0; round < 2000; round += 1) {
      const changed = bytes.slice();
      for (let count = 1 + next(3); count > 0; count -= 1) changed[next(changed.length)] = next(256);
      const path = onnxFile(changed, folder);
      try {
        readGraph(path);
      } catch (error) {
        expect(error).toBeInstanceOf(TokenscopeError);
      }
    }
  });

  test('of random bytes is refused', () => {
    const folder = temporaryFolder();
    let random = 99;
    for (let round = 0; round < 500; round += 1) {
      const bytes = Uint8Array.from({ length: 1 + (round % 300) }, () => {
        random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
        return random >>> 24;
      });
      expect(refusalOf(onnxFile(bytes, folder))).toMatch(/ONNX model/);
    }
  });
});

describe('a hostile file costs no memory', () => {
  test('with a field that claims an exabyte', () => {
    const bytes = Uint8Array.from([0x3a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1, 2, 3]);
    expect(refusalOf(onnxFile(bytes))).toMatch(/field 7 of 72057594037927935 bytes with 3 left/);
  });

  test('with a number that does not end', () => {
    expect(refusalOf(onnxFile(new Uint8Array(64).fill(0xff)))).toContain(
      'byte 0 of 64 has a number of more than 10 bytes',
    );
  });

  test('with millions of empty nodes', () => {
    const nodes = 6_000_000;
    const body = new Uint8Array(nodes * 2);
    for (let index = 0; index < body.length; index += 2) body[index] = 0x0a;
    const length = [
      (body.length & 0x7f) | 0x80,
      ((body.length >> 7) & 0x7f) | 0x80,
      ((body.length >> 14) & 0x7f) | 0x80,
      body.length >> 21,
    ];
    const path = onnxFile(Buffer.concat([Uint8Array.from([0x3a, ...length]), body]));
    const before = process.memoryUsage().rss;
    expect(refusalOf(path)).toMatch(/holds over 4000000 graph entries/);
    expect(process.memoryUsage().rss - before).toBeLessThan(1.5e9);
  });

  test('with graphs nested beyond reason', () => {
    let inner: Uint8Array = new Uint8Array(0);
    const wrap = (field: number, bytes: Uint8Array) => {
      const size: number[] = [];
      for (let rest = bytes.length; ; rest >>= 7) {
        if (rest < 128) {
          size.push(rest);
          break;
        }
        size.push((rest & 127) | 128);
      }
      return Buffer.concat([Uint8Array.from([(field << 3) | 2, ...size]), bytes]);
    };
    for (let depth = 0; depth < 2000; depth += 1) inner = wrap(1, wrap(5, wrap(6, inner)));
    expect(refusalOf(onnxFile(wrap(7, inner)))).toContain('ONNX model');
  });
});

test('the folder of a graph is the one its path names', () => {
  const folder = join(temporaryFolder(), 'onnx');
  mkdirSync(folder);
  const path = onnxFile(small(), folder);
  const graph = readGraph(path);
  expect(graph.directory).toBe(folder);
  expect(basename(graph.path)).toBe('model.onnx');
});

test('a file beyond 4 GiB is read in moments, without its weights', () => {
  const rows = 18_000_000;
  const rawBytes = rows * 64 * 4;
  const path = onnxFile('');
  // The table's dims, type and name, then raw data of 4.6 GB that the file system need not store.
  const varint = (value: number): number[] =>
    value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
  const tensorHead = [8, ...varint(rows), 8, 64, 16, 1, 66, 5, ...Buffer.from('table'), 74, ...varint(rawBytes)];
  const initializer = [42, ...varint(tensorHead.length + rawBytes), ...tensorHead];
  const rest = modelBytes({
    inputs: [value('input_ids', INT64, ['batch', 'sequence'])],
    nodes: [node('Gather', ['table', 'input_ids'], ['logits'])],
  });
  // Behind the model's version (2 bytes) comes the graph: its tag, its length (one byte more than 127) and its fields.
  const graphStart = rest.indexOf(0x3a) + 3;
  const graphEnd = rest.length - 6;
  const graphFields = rest.subarray(graphStart, graphEnd);
  const graphBytes = initializer.length + rawBytes + graphFields.length;
  const head = Buffer.from([...rest.subarray(0, rest.indexOf(0x3a) + 1), ...varint(graphBytes), ...initializer]);
  writeFileSync(path, head);
  truncateSync(path, head.length + rawBytes);
  appendFileSync(path, rest.subarray(graphStart));
  const before = process.memoryUsage().rss;
  const graph = readGraph(path);
  expect(graph.parameters).toBe(rows * 64);
  expect(graph.weightBytes).toBe(rawBytes);
  expect(graph.model.graph.initializer[0]?.externalData.map((entry) => entry.value)).toEqual([
    'model.onnx',
    String(head.length),
    String(rawBytes),
  ]);
  expect(process.memoryUsage().rss - before).toBeLessThan(50e6);
});
