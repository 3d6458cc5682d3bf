import { basename, dirname } from 'node:path';
import { create, fromBinary } from '@bufbuild/protobuf';
import { ModelProtoSchema, StringStringEntryProtoSchema, TensorProto_DataLocation as DataLocation } from 'onnx-buf';
import type { GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto } from 'onnx-buf';
import { TokenscopeError } from '../../shared/errors.ts';
import { FileWindow } from './file-window.ts';
import { byteLength, dtypeName } from './onnx-dtypes.ts';
import { checkExternalData } from './onnx-external.ts';
import type { ExternalFile } from './onnx-external.ts';
import { countWeights } from './onnx-weights.ts';
import { readSkeleton } from './onnx-wire.ts';
import type { WeightRange } from './onnx-wire.ts';

/** An input or output of the graph. A dimension is a number, a name shared between shapes, or null where unknown. */
export interface GraphValue {
  readonly name: string;
  /** onnxruntime's name of the element type: float32, float16, int64... */
  readonly dtype: string;
  readonly shape: readonly (number | string | null)[] | null;
}

/** A model's graph. Its large weights stay on disk: `model` refers to them as external data in `directory`. */
export interface ParsedGraph {
  /** The .onnx file, and the folder it lies in, as given. */
  readonly path: string;
  readonly directory: string;
  readonly fileBytes: number;
  readonly model: ModelProto & { readonly graph: GraphProto };
  readonly inputs: readonly GraphValue[];
  readonly outputs: readonly GraphValue[];
  /** How often each operator occurs, by its name without the domain; subgraphs included. */
  readonly opTypes: ReadonlyMap<string, number>;
  /** Elements of the model's weights, each stored tensor once. How they are told from constants: onnx-weights.ts. */
  readonly parameters: number;
  /** Bytes of those weights as stored, with the scales and zero points of quantized ones. */
  readonly weightBytes: number;
  /** Elements by their stored type, most frequent first: `{ float32: 985216 }`. */
  readonly weightTypes: Readonly<Record<string, number>>;
  /** Files beside the .onnx file that hold weights. */
  readonly externalFiles: readonly ExternalFile[];
}

/**
 * Reads the graph of a .onnx file of any size without its large weights (memory: the graph itself, up to 256 MiB).
 * Throws a `file` error if the file cannot be read, and a `model` error that names the place if it is not a complete
 * ONNX model, or if its external data is missing, too short or outside of its folder.
 */
export function readGraph(path: string): ParsedGraph {
  const file = new FileWindow(path);
  try {
    refuseStandIns(file);
    const { bytes, ranges } = readSkeleton(file);
    const model = decode(bytes, path);
    referToFile(model.graph.initializer, ranges, path);
    checkInlineData(model.graph.initializer, path);
    const ownName = basename(path);
    const externalFiles = checkExternalData(model.graph.initializer, dirname(path), path).filter(
      (external) => external.path !== ownName,
    );
    const initializers = new Set(model.graph.initializer.map((tensor) => tensor.name));
    return {
      path,
      directory: dirname(path),
      fileBytes: file.size,
      model,
      inputs: model.graph.input.filter((value) => !initializers.has(value.name)).map(graphValue),
      outputs: model.graph.output.map(graphValue),
      opTypes: countOperators(model.graph.node),
      ...countWeights(model.graph),
      externalFiles,
    };
  } finally {
    file.close();
  }
}

/** Files that stand where a model should: an empty one, or the pointer that Git leaves without its LFS extension. */
function refuseStandIns(file: FileWindow): void {
  if (file.size === 0) throw new TokenscopeError('model', 'is empty, not an ONNX model', { path: file.path });
  const start = Buffer.from(file.bytes(0, Math.min(file.size, 40))).toString('latin1');
  if (start.startsWith('version https://git-lfs')) {
    throw new TokenscopeError('model', `is a Git LFS pointer of ${file.size} bytes, not the model`, {
      path: file.path,
      remedy: 'download the file itself, for example with git lfs pull',
    });
  }
}

function decode(bytes: Uint8Array, path: string): ModelProto & { graph: GraphProto } {
  let model: ModelProto;
  try {
    model = fromBinary(ModelProtoSchema, bytes);
  } catch (error) {
    throw new TokenscopeError('model', 'is not an ONNX model: its fields cannot be decoded', { path, cause: error });
  }
  const { graph } = model;
  if (graph === undefined || graph.node.length === 0 || graph.output.length === 0) {
    throw new TokenscopeError(
      'model',
      `is not an ONNX model: it has ${graph?.node.length ?? 0} nodes and ${graph?.output.length ?? 0} outputs`,
      { path },
    );
  }
  if (model.opsetImport.length === 0) {
    throw new TokenscopeError('model', 'is not a complete ONNX model: it names no operator set', {
      path,
      remedy: 'the download may have been cut off; fetch the file again',
    });
  }
  return Object.assign(model, { graph });
}

function referToFile(tensors: TensorProto[], ranges: ReadonlyMap<number, WeightRange>, path: string): void {
  for (const [index, { offset, length }] of ranges) {
    const tensor = tensors[index];
    if (tensor === undefined) continue;
    if (tensor.externalData.length > 0) {
      throw new TokenscopeError('model', `weight ${tensor.name} has data of its own and external data`, { path });
    }
    tensor.dataLocation = DataLocation.EXTERNAL;
    tensor.externalData = Object.entries({ location: basename(path), offset, length }).map(([key, value]) =>
      create(StringStringEntryProtoSchema, { key, value: String(value) }),
    );
  }
}

function checkInlineData(tensors: readonly TensorProto[], path: string): void {
  for (const tensor of tensors) {
    if (tensor.dims.some((dim) => dim < 0n)) {
      throw new TokenscopeError('model', `weight ${tensor.name} has the dimensions [${tensor.dims.join(', ')}]`, {
        path,
      });
    }
    const needed = byteLength(tensor.dataType, tensor.dims);
    const { length } = tensor.rawData;
    if (length > 0 && needed !== null && BigInt(length) !== needed) {
      throw new TokenscopeError(
        'model',
        `weight ${tensor.name}: its dimensions [${tensor.dims.join(', ')}] need ${needed} bytes, it has ${length}`,
        { path },
      );
    }
  }
}

function graphValue(value: ValueInfoProto): GraphValue {
  if (value.type?.value.case !== 'tensorType') return { name: value.name, dtype: 'not a tensor', shape: null };
  const { elemType, shape } = value.type.value.value;
  return {
    name: value.name,
    dtype: dtypeName(elemType),
    shape:
      shape?.dim.map(({ value: dim }) => {
        if (dim.case === 'dimValue') return Number(dim.value);
        return dim.case === 'dimParam' && dim.value !== '' ? dim.value : null;
      }) ?? null,
  };
}

function countOperators(nodes: readonly NodeProto[], counts = new Map<string, number>()): Map<string, number> {
  for (const node of nodes) {
    counts.set(node.opType, (counts.get(node.opType) ?? 0) + 1);
    for (const { g, graphs } of node.attribute) {
      if (g !== undefined) countOperators(g.node, counts);
      for (const graph of graphs) countOperators(graph.node, counts);
    }
  }
  return counts;
}
