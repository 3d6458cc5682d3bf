import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Reads the float32 initializers of a .onnx file, in the file or beside it: a second reading of the format that shares
 * nothing with the one under test. For small files.
 */
export function readWeights(path: string): Map<string, Float64Array> {
  const file = readFileSync(path);
  const weights = new Map<string, Float64Array>();
  for (const [number, graph] of fieldsOf(file)) {
    if (number !== 7 || typeof graph === 'bigint') continue; // ModelProto.graph
    for (const [field, tensor] of fieldsOf(graph)) {
      if (field === 5 && typeof tensor !== 'bigint') readTensor(tensor, dirname(path), weights); // GraphProto.initializer
    }
  }
  return weights;
}

function readTensor(tensor: Buffer, folder: string, weights: Map<string, Float64Array>): void {
  let name = '';
  let type = 0n;
  let data: Buffer | undefined;
  const external = new Map<string, string>();
  for (const [number, value] of fieldsOf(tensor)) {
    if (number === 2 && typeof value === 'bigint') type = value;
    if (typeof value === 'bigint') continue;
    if (number === 8) name = value.toString('utf8');
    if (number === 9) data = value;
    if (number === 13) {
      const [key, text] = [...fieldsOf(value)].map(([, part]) => part.toString());
      external.set(key ?? '', text ?? '');
    }
  }
  if (type !== 1n) return; // float32
  const location = external.get('location');
  if (location !== undefined) {
    const offset = Number(external.get('offset') ?? 0);
    data = readFileSync(join(folder, location)).subarray(offset, offset + Number(external.get('length')));
  }
  if (data === undefined) throw new Error(`${name} has no data`);
  const bytes = data;
  weights.set(
    name,
    Float64Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(4 * index)),
  );
}

function* fieldsOf(message: Buffer): Generator<[number: number, value: bigint | Buffer]> {
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at++]!;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = Number(varint());
    if ((tag & 7) === 0) yield [tag >> 3, varint()];
    else if ((tag & 7) === 2) {
      const length = Number(varint());
      yield [tag >> 3, message.subarray(at, at + length)];
      at += length;
    } else throw new Error(`wire type ${tag & 7}`);
  }
}
