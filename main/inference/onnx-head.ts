import { clone, create } from '@bufbuild/protobuf';
import {
  GraphProtoSchema,
  ModelProtoSchema,
  NodeProtoSchema,
  TensorProtoSchema,
  TensorProto_DataType as DataType,
  TensorShapeProto_DimensionSchema,
  TensorShapeProtoSchema,
  TypeProtoSchema,
  TypeProto_TensorSchema,
  ValueInfoProtoSchema,
} from 'onnx-buf';
import type { GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto } from 'onnx-buf';
import { GraphIndex } from './onnx-constants.ts';
import type { ParsedGraph } from './onnx-read.ts';

/** int64 [1]: the first position whose logits are computed, counted from the end if negative. */
export const LOGITS_START = 'tokenscope.logits_start';
/** The input of Hugging Face exports with the same purpose: how many last positions, 0 for all. */
export const LOGITS_TO_KEEP = 'num_logits_to_keep';
const LOGITS_LENGTH = 'tokenscope.logits_length';
const SLICE_ENDS = 'tokenscope.slice_ends';
const SLICE_AXES = 'tokenscope.slice_axes';
const INT64_MAX = 2n ** 63n - 1n;
/** From here on Slice takes its bounds as inputs. */
const SLICE_OPSET = 10n;

/** A graph that `serializeGraph` turns into bytes. */
export interface EditedGraph {
  readonly directory: string;
  readonly model: ModelProto;
}

export type LimitedLogits =
  /** `graph` has the input `input`: -1 computes the last position, 0 all of them, INT64_MAX none (an empty tensor). */
  | { readonly kind: 'limited'; readonly graph: EditedGraph; readonly input: typeof LOGITS_START }
  /** The graph has an input of its own for this. */
  | { readonly kind: 'native'; readonly input: typeof LOGITS_TO_KEEP }
  /** The head was not found; the reason is for people. */
  | { readonly kind: 'unchanged'; readonly reason: string };

/**
 * Lets the caller choose at run time which positions reach the head: a Slice in front of the head's matrix, along the
 * sequence. The graph that is passed in stays as it is.
 */
export function limitLogits(parsed: ParsedGraph): LimitedLogits {
  if (parsed.inputs.some((input) => input.name === LOGITS_TO_KEEP)) return { kind: 'native', input: LOGITS_TO_KEEP };
  const { graph, opsetImport } = parsed.model;
  const opset = opsetImport.find(({ domain }) => domain === '' || domain === 'ai.onnx')?.version ?? 0n;
  if (opset < SLICE_OPSET) return unchanged(`operator set ${opset} has no Slice with bounds as inputs`);
  const logits = graph.output.find((output) => output.name === 'logits');
  if (logits === undefined) return unchanged('the graph has no output "logits"');
  const rank = rankOf(logits);
  if (rank !== null && rank !== 3) return unchanged(`the output "logits" has ${rank} dimensions instead of 3`);
  if (positionsOf(logits) === 1n) return unchanged('the graph computes the logits of one position only');
  if (namesIn(graph).some((name) => name.startsWith('tokenscope.'))) {
    return unchanged('the graph already has values of the name "tokenscope."');
  }
  const found = findHead(graph);
  if (typeof found === 'string') return unchanged(found);
  return { kind: 'limited', graph: insertSlice(parsed, found), input: LOGITS_START };
}

function unchanged(reason: string): LimitedLogits {
  return { kind: 'unchanged', reason };
}

interface Head {
  /** Index of the head's matrix product in the graph's nodes. */
  readonly node: number;
  /** The values from the matrix product to the logits: their sequence dimension changes. */
  readonly path: readonly string[];
}

/** Operators whose first input is the hidden state and whose second is the head's matrix. */
const HEADS = new Set(['MatMul', 'FusedMatMul', 'MatMulNBits', 'MatMulInteger', 'DynamicQuantizeMatMul', 'MatMulBnb4']);
/** What may stand between the head and the logits: it works on every position by itself. */
const POINTWISE = new Set(['Cast', 'Identity', 'Tanh']);
/** The same, if all other operands are constants: a bias, a scale, Gemma's soft cap. */
const POINTWISE_WITH_CONSTANT = new Set(['Add', 'Mul', 'Div', 'Sub']);
/** Between a constant and its use as the head's matrix. */
const MATRIX_CHAIN = new Set(['Transpose', 'DequantizeLinear', 'Cast', 'Identity', 'Reshape']);

/** Walks back from the logits to the head's matrix product, or says in words why there is none to be found. */
function findHead(graph: GraphProto): Head | string {
  const index = new GraphIndex(graph);
  const path: string[] = [];
  let value = 'logits';
  for (let step = 0; step < 20; step += 1) {
    const readers = index.consumers(value).length;
    const expected = value === 'logits' ? 0 : 1;
    if (readers !== expected || (value !== 'logits' && index.outputs.has(value))) {
      return `the value "${value}" between the head and the logits is used elsewhere as well`;
    }
    path.push(value);
    const node = index.producer(value);
    if (node === undefined) return `nothing computes "${value}"`;
    const next = behind(node, index);
    if (next === 'head') return { node: graph.node.indexOf(node), path };
    if (next === null) return `the logits come from ${node.opType} "${node.name}", which is not a known head`;
    value = next;
  }
  return 'the head is more than 20 nodes away from the logits';
}

/** `head`, or the operand through which the walk goes on, or null where it ends. */
function behind(node: NodeProto, index: GraphIndex): string | null {
  const [first = '', second = ''] = node.input;
  if (HEADS.has(node.opType)) return isMatrix(second, index) ? 'head' : null;
  if (POINTWISE.has(node.opType)) return first;
  if (!POINTWISE_WITH_CONSTANT.has(node.opType)) return null;
  if (isSameForEveryPosition(second, index)) return first;
  return isSameForEveryPosition(first, index) ? second : null;
}

function isMatrix(name: string, index: GraphIndex): boolean {
  let current = name;
  for (let step = 0; step < 10; step += 1) {
    if (index.constant(current) !== undefined) return true;
    const node = index.producer(current);
    if (node === undefined || !MATRIX_CHAIN.has(node.opType)) return false;
    current = node.input[0] ?? '';
  }
  return false;
}

/** A constant that broadcasts along the sequence, or the scales of a dynamically quantized head. */
function isSameForEveryPosition(name: string, index: GraphIndex): boolean {
  const tensor = index.constant(name);
  if (tensor !== undefined) return (tensor.dims.at(-2) ?? 1n) === 1n;
  const node = index.producer(name);
  if (node === undefined) return false;
  if (node.opType === 'DynamicQuantizeLinear') return node.output[1] === name;
  const chains = node.opType === 'Mul' || MATRIX_CHAIN.has(node.opType);
  return chains && node.input.every((input) => isSameForEveryPosition(input, index));
}

function insertSlice(parsed: ParsedGraph, head: Head): EditedGraph {
  const model = clone(ModelProtoSchema, parsed.model);
  const graph = model.graph ?? create(GraphProtoSchema);
  model.graph = graph;
  const product = graph.node[head.node];
  const hidden = product?.input[0] ?? '';
  const sliced = 'tokenscope.head_input';
  if (product !== undefined) product.input[0] = sliced;
  graph.node.splice(
    head.node,
    0,
    create(NodeProtoSchema, {
      name: 'tokenscope.limit_logits',
      opType: 'Slice',
      input: [hidden, LOGITS_START, SLICE_ENDS, SLICE_AXES],
      output: [sliced],
    }),
  );
  graph.initializer.push(int64Tensor(SLICE_ENDS, INT64_MAX), int64Tensor(SLICE_AXES, 1n));
  graph.input.push(int64Input(LOGITS_START));
  // Shapes noted for these values would name the old length of the sequence.
  graph.valueInfo = graph.valueInfo.filter((value) => !head.path.includes(value.name));
  const logits = graph.output.find((output) => output.name === 'logits');
  if (logits?.type?.value.case === 'tensorType') {
    const { shape } = logits.type.value.value;
    if (shape !== undefined)
      shape.dim[1] = create(TensorShapeProto_DimensionSchema, { value: dimParam(LOGITS_LENGTH) });
  }
  return { directory: parsed.directory, model };
}

function dimParam(value: string): { case: 'dimParam'; value: string } {
  return { case: 'dimParam', value };
}

function int64Tensor(name: string, value: bigint): TensorProto {
  return create(TensorProtoSchema, { name, dataType: DataType.INT64, dims: [1n], int64Data: [value] });
}

function int64Input(name: string): ValueInfoProto {
  const shape = create(TensorShapeProtoSchema, {
    dim: [create(TensorShapeProto_DimensionSchema, { value: { case: 'dimValue', value: 1n } })],
  });
  const tensor = create(TypeProto_TensorSchema, { elemType: DataType.INT64, shape });
  return create(ValueInfoProtoSchema, {
    name,
    type: create(TypeProtoSchema, { value: { case: 'tensorType', value: tensor } }),
  });
}

function rankOf(value: ValueInfoProto): number | null {
  return value.type?.value.case === 'tensorType' ? (value.type.value.value.shape?.dim.length ?? null) : null;
}

/** The number of positions that a graph declares for its logits, if it is fixed. */
function positionsOf(value: ValueInfoProto): bigint | undefined {
  if (value.type?.value.case !== 'tensorType') return undefined;
  const dim = value.type.value.value.shape?.dim[1]?.value;
  return dim?.case === 'dimValue' ? dim.value : undefined;
}

function namesIn(graph: GraphProto): string[] {
  return [
    ...graph.input.map((value) => value.name),
    ...graph.initializer.map((tensor) => tensor.name),
    ...graph.node.flatMap((node) => node.output),
  ];
}
