import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { create, toBinary } from '@bufbuild/protobuf';
import { ModelProtoSchema, TensorProto_DataLocation as DataLocation, TensorProtoSchema } from 'onnx-buf';
import type { TensorProto } from 'onnx-buf';
import { GraphProtoSchema } from 'onnx-buf';
import { readGraph } from '../../main/inference/onnx-graph.ts';

const BLOCK_BYTES = 8 * 1024 * 1024;
/** Field numbers of onnx.proto, as tags of fields with a length. */
const MODEL_GRAPH = (7 << 3) | 2;
const GRAPH_INITIALIZER = (5 << 3) | 2;
const TENSOR_RAW_DATA = (9 << 3) | 2;

/** Writes a graph and its external data as one .onnx file, as exporters do below 2 GB. Nothing large is held in memory. */
export function writeSingleFile(graphPath: string, target: string): void {
  const { model } = readGraph(graphPath);
  const isLarge = (tensor: TensorProto) => tensor.dataLocation === DataLocation.EXTERNAL;
  const { graph, ...rest } = model;
  const small = graph.initializer.filter((tensor) => !isLarge(tensor));
  const graphBytes = toBinary(GraphProtoSchema, create(GraphProtoSchema, { ...graph, initializer: small }));
  const weights = graph.initializer.filter(isLarge).map((tensor) => {
    const entries = new Map(tensor.externalData.map(({ key, value }) => [key, value]));
    const length = Number(entries.get('length'));
    const { name, dims, dataType } = tensor;
    const head = toBinary(TensorProtoSchema, create(TensorProtoSchema, { name, dims, dataType }));
    const start = [...head, ...varint(TENSOR_RAW_DATA), ...varint(length)];
    const header = Uint8Array.from([...varint(GRAPH_INITIALIZER), ...varint(start.length + length), ...start]);
    return { header, length, location: entries.get('location') ?? '', offset: Number(entries.get('offset') ?? 0) };
  });
  const graphLength = weights.reduce((sum, { header, length }) => sum + header.length + length, graphBytes.length);
  const out = openSync(target, 'w');
  writeSync(out, toBinary(ModelProtoSchema, create(ModelProtoSchema, rest)));
  writeSync(out, Uint8Array.from([...varint(MODEL_GRAPH), ...varint(graphLength)]));
  writeSync(out, graphBytes);
  const block = new Uint8Array(BLOCK_BYTES);
  for (const { header, length, location, offset } of weights) {
    writeSync(out, header);
    const source = openSync(join(dirname(graphPath), location), 'r');
    for (let done = 0; done < length; ) {
      const read = readSync(source, block, 0, Math.min(BLOCK_BYTES, length - done), offset + done);
      writeSync(out, block, 0, read);
      done += read;
    }
    closeSync(source);
  }
  closeSync(out);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return bytes;
}
