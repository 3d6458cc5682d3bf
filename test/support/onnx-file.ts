import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, toBinary } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  AttributeProto_AttributeType as AttributeType,
  AttributeProtoSchema,
  ModelProtoSchema,
  TensorProto_DataLocation as DataLocation,
  TensorProto_DataType as DataType,
} from 'onnx-buf';
import type { NodeProtoSchema, TensorProtoSchema, ValueInfoProtoSchema } from 'onnx-buf';
import { onTestFinished } from 'vitest';

/** Small ONNX models for tests, written without the code under test. */

type Tensor = MessageInitShape<typeof TensorProtoSchema>;
type Node = MessageInitShape<typeof NodeProtoSchema>;
type Value = MessageInitShape<typeof ValueInfoProtoSchema>;

export interface SmallModel {
  inputs?: Value[];
  outputs?: Value[];
  nodes: Node[];
  initializers?: Tensor[];
  valueInfo?: Value[];
  opset?: bigint;
}

export const FLOAT: number = DataType.FLOAT;
export const FLOAT16: number = DataType.FLOAT16;
export const INT8: number = DataType.INT8;
export const INT32: number = DataType.INT32;
export const INT64: number = DataType.INT64;
export const UINT8: number = DataType.UINT8;

export function modelBytes({
  inputs = [],
  outputs,
  nodes,
  initializers = [],
  valueInfo = [],
  opset = 17n,
}: SmallModel) {
  return toBinary(
    ModelProtoSchema,
    create(ModelProtoSchema, {
      irVersion: 8n,
      opsetImport: [
        { domain: '', version: opset },
        ...(nodes.some(({ domain }) => domain === 'com.microsoft') ? [{ domain: 'com.microsoft', version: 1n }] : []),
      ],
      graph: {
        name: 'small',
        node: nodes,
        initializer: initializers,
        input: inputs,
        output: outputs ?? [value('logits', FLOAT, ['batch', 'sequence', 8])],
        valueInfo,
      },
    }),
  );
}

export function value(name: string, elemType: number, shape: (number | string)[]): Value {
  const dim = shape.map((size) =>
    typeof size === 'number'
      ? { value: { case: 'dimValue' as const, value: BigInt(size) } }
      : { value: { case: 'dimParam' as const, value: size } },
  );
  return { name, type: { value: { case: 'tensorType', value: { elemType, shape: { dim } } } } };
}

export function node(
  opType: string,
  input: string[],
  output: string[],
  attributes: Record<string, number | number[]> = {},
): Node {
  const microsoft = ['MatMulNBits', 'MatMulBnb4', 'GatherBlockQuantized', 'GroupQueryAttention', 'FusedMatMul'];
  return {
    name: `${opType}_${output[0]}`,
    opType,
    input,
    output,
    domain: microsoft.includes(opType) ? 'com.microsoft' : '',
    attribute: Object.entries(attributes).map(([name, setting]) =>
      create(
        AttributeProtoSchema,
        typeof setting === 'number'
          ? { name, type: AttributeType.INT, i: BigInt(setting) }
          : { name, type: AttributeType.INTS, ints: setting.map(BigInt) },
      ),
    ),
  };
}

/** A tensor of `elements` items with raw data of the right length: small numbers that differ. */
export function tensor(name: string, dataType: number, dims: number[], values?: ArrayLike<number>): Tensor {
  const count = dims.reduce((product, dim) => product * dim, 1);
  const numbers = Array.from({ length: count }, (_, index) => values?.[index] ?? ((index * 37) % 17) / 8 - 1);
  return { name, dataType, dims: dims.map(BigInt), rawData: rawData(dataType, numbers) };
}

function rawData(dataType: number, numbers: number[]): Uint8Array<ArrayBuffer> {
  if (dataType === INT64)
    return new Uint8Array(BigInt64Array.from(numbers.map((item) => BigInt(Math.round(item)))).buffer);
  if (dataType === INT32) return new Uint8Array(Int32Array.from(numbers).buffer);
  if (dataType === UINT8 || dataType === INT8) {
    return Uint8Array.from(numbers.map((item) => (Number.isInteger(item) ? item : Math.round(item * 8 + 128))));
  }
  if (dataType === FLOAT16) return new Uint8Array(2 * numbers.length);
  return new Uint8Array(Float32Array.from(numbers).buffer);
}

/** A Constant node. */
export function constantNode(output: string, held: Tensor): Node {
  return {
    name: `Constant_${output}`,
    opType: 'Constant',
    output: [output],
    attribute: [{ name: 'value', type: AttributeType.TENSOR, t: held }],
  };
}

/** A weight of float32 whose data lies elsewhere. */
export function externalTensor(name: string, dims: number[], entries: Record<string, string>): Tensor {
  return {
    name,
    dataType: FLOAT,
    dims: dims.map(BigInt),
    dataLocation: DataLocation.EXTERNAL,
    externalData: Object.entries(entries).map(([key, text]) => ({ key, value: text })),
  };
}

/** A folder that goes away with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tokenscope-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes `bytes` as model.onnx into a folder that goes away with the test; returns its path. */
export function onnxFile(bytes: Uint8Array | string, folder = temporaryFolder()): string {
  const path = join(folder, 'model.onnx');
  writeFileSync(path, bytes);
  return path;
}
