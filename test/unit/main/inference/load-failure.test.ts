import { describe, expect, test } from 'vitest';
import { loadFailure, passFailure } from '../../../../main/inference/load-failure.ts';
import { loadSession } from '../../../../main/inference/session.ts';
import { createSession, int64 } from '../../../support/decoder-runtime.ts';
import { FLOAT, INT64, modelBytes, node, onnxFile, tensor, UINT8, value } from '../../../support/onnx-file.ts';
import type { SmallModel } from '../../../support/onnx-file.ts';

const inputs = [value('input_ids', INT64, ['batch', 'sequence'])];
const lookup = node('Gather', ['table', 'input_ids'], ['hidden']);
const table = tensor('table', FLOAT, [16, 32]);

async function failureOf(model: SmallModel | Uint8Array): Promise<string> {
  const bytes = model instanceof Uint8Array ? model : modelBytes({ inputs, ...model });
  const cause = await createSession(bytes).then(
    () => new Error('it loads'),
    (error: unknown) => error,
  );
  return loadFailure(cause, 'model.onnx', 'onnxruntime').line;
}

describe("the runtime's reasons not to load a graph, in one line without its sources", () => {
  const sums = node('MatMulNBits', ['hidden', 'packed', 'scales'], ['logits'], {
    K: 32,
    N: 8,
    bits: 3,
    block_size: 32,
  });
  test.each<[string, SmallModel, string]>([
    [
      "an operator of Microsoft's that it does not have",
      { nodes: [lookup, { ...sums, opType: 'QuantumMatMul', input: ['hidden'] }], initializers: [table] },
      'it has no operator QuantumMatMul of com.microsoft',
    ],
    [
      'an operator of ONNX that it does not have',
      { nodes: [lookup, node('Foo', ['hidden'], ['logits'])], initializers: [table] },
      'it has no operator Foo in operator set 17',
    ],
    [
      'a quantization of other bits',
      {
        nodes: [lookup, sums],
        initializers: [table, tensor('packed', UINT8, [8, 1, 12]), tensor('scales', FLOAT, [8])],
      },
      'Only 2b, 4b and 8b quantization is supported for MatMulNBits op, additional bits support is planned.',
    ],
    [
      'an attribute that it does not know',
      { nodes: [lookup, node('Identity', ['hidden'], ['logits'], { block_size: 32 })], initializers: [table] },
      'Identity "Identity_logits": Unrecognized attribute: block_size for operator Identity',
    ],
    [
      'an operator set from the future',
      { nodes: [lookup, node('Identity', ['hidden'], ['logits'])], initializers: [table], opset: 99n },
      'the graph is of operator set 99, it runs up to 26',
    ],
  ])('%s', async (_, model, reason) => {
    expect(await failureOf(model)).toBe(
      `model.onnx: onnxruntime cannot load the graph: ${reason} (check that the file is complete, or take another variant of the model)`,
    );
  });

  test('an IR version from the future', async () => {
    const bytes = modelBytes({
      inputs,
      nodes: [lookup, node('Identity', ['hidden'], ['logits'])],
      initializers: [table],
    });
    bytes[1] = 99;
    expect(await failureOf(bytes)).toContain('the graph is of IR version 99, it reads up to 13');
  });

  test('a node with a name that would clear the screen', () => {
    const cause = new Error(`In Node, ("\u001b[2J${'x'.repeat(5000)}", Foo, "", -1) : () -> () , Error bad`);
    const { line } = loadFailure(cause, 'model.onnx', 'onnxruntime');
    expect(line).not.toContain('\u001b');
    expect(line.length).toBeLessThan(600);
  });
});

test('a pass that fails names the node', async () => {
  const nodes = [lookup, node('Reshape', ['hidden', 'shape'], ['logits'])];
  const session = await createSession(
    modelBytes({ inputs, nodes, initializers: [table, tensor('shape', INT64, [2], [3, 7])] }),
  );
  const cause = await session.run({ input_ids: int64([1, 2], [1, 2]) }).catch((error: unknown) => error);
  await session.release();
  const { line } = passFailure(cause, 'onnxruntime');
  expect(line).toMatch(
    /^onnxruntime failed in the graph: Reshape "Reshape_logits": .*\(take another variant of the model\)$/,
  );
  expect(line).not.toMatch(/\.cc|onnxruntime_src/);
});

test('a graph with an unknown edge is refused before the runtime sees it', async () => {
  const cache = value('past_conv.0', FLOAT, ['batch', 8, 3]);
  const nodes = [lookup, node('QuantumMatMul', ['hidden'], ['logits'])];
  const path = onnxFile(modelBytes({ inputs: [...inputs, cache], nodes, initializers: [table] }));
  const folder = {
    directory: path.replace(/\/model\.onnx$/, ''),
    id: 'small',
    revision: null,
    license: null,
    weights: 'synthetic' as const,
    graph: 'model.onnx',
    files: [],
    config: {},
    generation: {},
    eosTokenIds: [],
    padTokenId: 0,
  };
  await expect(loadSession(folder, { threads: 1, device: 'cpu' })).rejects.toMatchObject({
    code: 'model',
    message: 'unknown signature: its layers keep "past_conv.0", only caches of keys and values are run',
  });
});
