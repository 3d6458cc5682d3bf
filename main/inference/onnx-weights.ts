import type { GraphProto, NodeProto, TensorProto } from 'onnx-buf';
import { GraphIndex, intAttribute } from './onnx-constants.ts';
import { byteLength, dtypeName, elementCount, isFloatType, isIndexType } from './onnx-dtypes.ts';
import { externalRange } from './onnx-external.ts';

/**
 * Which constants of a graph are weights? Those that meet the stream of activations:
 *
 * - the table that input_ids looks up (Gather, GatherBlockQuantized) starts the stream; so do float inputs
 *   (inputs_embeds, past_key_values);
 * - a constant of two or more elements is a weight when a node combines it with the stream (MatMul, Gemm, the bias of
 *   an Add, the scale of a norm), directly or behind nodes that only rearrange or unpack it (Transpose, Reshape, Cast,
 *   DequantizeLinear);
 * - a table looked up by position is a weight if it is added (learned positions), not if it is multiplied (rotary).
 *
 * So shapes, epsilons, attention scales, masks and rotary frequencies do not count: they meet positions, not activations.
 * A tensor that is used twice (a tied head) counts once; two copies of it in the file count twice, for so it is stored.
 *
 * Quantized weights count their logical elements: K x N of MatMulNBits and MatMulBnb4, the unpacked table of GatherBlockQuantized, the
 * input of DequantizeLinear, the right-hand side of MatMulInteger. Their scales and zero points are bytes, not parameters.
 * Other packed formats (the experts of QMoE) count stored elements, which is too few.
 */
export interface WeightCount {
  readonly parameters: number;
  readonly weightBytes: number;
  readonly weightTypes: Readonly<Record<string, number>>;
}

/** Inputs that hold constants which are no weights: rotary caches, masks, bounds. */
const NO_WEIGHTS: Readonly<Record<string, readonly number[] | 'all'>> = {
  GroupQueryAttention: [5, 6, 7, 8, 10],
  RotaryEmbedding: [1, 2, 3],
  MultiHeadAttention: [4, 5],
  Where: 'all',
  Clip: 'all',
  Pad: 'all',
  Pow: 'all',
  Max: 'all',
  Min: 'all',
};
/** Nodes that pass their first input on, rearranged or converted. */
const PASSES_ON = new Set([
  'Cast',
  'CastLike',
  'DequantizeLinear',
  'Flatten',
  'Identity',
  'QuantizeLinear',
  'Reshape',
  'Squeeze',
  'Transpose',
  'Unsqueeze',
]);
const LOOKUPS = new Set(['Gather', 'GatherBlockQuantized']);
const SHAPE_OPS = new Set(['Shape', 'Size']);

/** A constant behind the nodes that unpack it. */
interface Origin {
  readonly tensor: TensorProto;
  /** Scales and zero points on the way. */
  readonly companions: readonly string[];
  readonly byPosition: boolean;
}

export function countWeights(graph: GraphProto): WeightCount {
  return new WeightCounter(graph).count();
}

class WeightCounter {
  readonly #graph: GraphProto;
  readonly #index: GraphIndex;
  /** Values computed from token ids alone, and values computed from activations. */
  readonly #ids = new Set<string>();
  readonly #stream = new Set<string>();
  readonly #weights = new Map<string, { dtype: string; elements: number }>();
  readonly #bytes = new Map<string, number>();

  constructor(graph: GraphProto) {
    this.#graph = graph;
    this.#index = new GraphIndex(graph);
    for (const { name, type } of graph.input) {
      if (type?.value.case !== 'tensorType') continue;
      if (isFloatType(type.value.value.elemType)) this.#stream.add(name);
      else if (name.includes('input_ids')) this.#ids.add(name);
    }
  }

  count(): WeightCount {
    for (const node of this.#graph.node) this.#visit(node);
    const types: Record<string, number> = {};
    let parameters = 0;
    for (const { dtype, elements } of [...this.#weights.values()].sort((a, b) => b.elements - a.elements)) {
      parameters += elements;
      types[dtype] = (types[dtype] ?? 0) + elements;
    }
    const weightTypes = Object.fromEntries(Object.entries(types).sort(([, a], [, b]) => b - a));
    const weightBytes = [...this.#bytes.values()].reduce((sum, bytes) => sum + bytes, 0);
    return { parameters, weightBytes, weightTypes };
  }

  #visit(node: NodeProto): void {
    if (SHAPE_OPS.has(node.opType)) return;
    if (LOOKUPS.has(node.opType) && this.#ids.has(node.input[1] ?? '')) this.#lookup(node);
    else if (node.input.some((name) => this.#stream.has(name))) this.#combine(node);
    else if (node.input.some((name) => this.#ids.has(name))) addAll(this.#ids, node.output);
  }

  #lookup(node: NodeProto): void {
    const origin = this.#origin(node.input[0] ?? '');
    if (origin === null) return;
    const { tensor } = origin;
    const packed = node.opType === 'GatherBlockQuantized' && dtypeName(tensor.dataType) === 'uint8';
    const perByte = packed ? 8 / Number(intAttribute(node, 'bits') ?? 4n) : 1;
    this.#weight(origin, Number(elementCount(tensor.dims)) * perByte);
    if (node.opType === 'GatherBlockQuantized') this.#companions(node.input.slice(2));
    addAll(this.#stream, node.output);
  }

  #combine(node: NodeProto): void {
    addAll(this.#stream, node.output);
    const excluded = NO_WEIGHTS[node.opType] ?? [];
    if (excluded === 'all' || PASSES_ON.has(node.opType)) return;
    if (node.opType === 'MatMulNBits' || node.opType === 'MatMulBnb4') {
      this.#packedMatrix(node);
      return;
    }
    // MatMulInteger(a, b, a_zero_point, b_zero_point): only b is a weight.
    const only = node.opType === 'MatMulInteger' || node.opType === 'DynamicQuantizeMatMul' ? 1 : undefined;
    const dynamicScale = node.opType === 'Mul' && node.input.some((name) => this.#isDynamicScale(name));
    for (const [position, name] of node.input.entries()) {
      if (excluded.includes(position) || this.#stream.has(name)) continue;
      const origin = this.#origin(name);
      if (origin === null) continue;
      if (dynamicScale || (only !== undefined && position !== only)) this.#companions([name]);
      else if (!(origin.byPosition && node.opType !== 'Add')) this.#weight(origin);
    }
  }

  /** Both name the matrix second, its scales behind it, and its size K x N in their attributes. */
  #packedMatrix(node: NodeProto): void {
    const origin = this.#origin(node.input[1] ?? '');
    if (origin === null) return;
    this.#weight(origin, Number(intAttribute(node, 'K') ?? 0n) * Number(intAttribute(node, 'N') ?? 0n));
    this.#companions(node.input.slice(2, 5));
    const bias = this.#origin(node.input[5] ?? '');
    if (bias !== null) this.#weight(bias);
  }

  /** The scale that DynamicQuantizeLinear finds for activations: what it multiplies is a scale of weights. */
  #isDynamicScale(name: string): boolean {
    const producer = this.#index.producer(name);
    return producer?.opType === 'DynamicQuantizeLinear' && producer.output[1] === name;
  }

  #origin(name: string): Origin | null {
    const companions: string[] = [];
    let byPosition = false;
    let unpacked = false;
    let current = name;
    // A chain is a handful of nodes; the bound only stops a graph with a cycle.
    for (let step = 0; step < 100; step += 1) {
      const tensor = this.#index.constant(current);
      if (tensor !== undefined) {
        const usable = unpacked || !isIndexType(tensor.dataType);
        return usable && elementCount(tensor.dims) > 1n ? { tensor, companions, byPosition } : null;
      }
      const node = this.#index.producer(current);
      if (node === undefined) return null;
      const [first = '', second = ''] = node.input;
      if (PASSES_ON.has(node.opType)) {
        if (node.opType === 'DequantizeLinear') {
          unpacked = true;
          companions.push(...node.input.slice(1));
        }
        current = first;
      } else if (LOOKUPS.has(node.opType)) {
        byPosition = true;
        current = first;
      } else if ((node.opType === 'Add' || node.opType === 'Mul') && this.#index.isScalar(second)) {
        current = first; // Gemma's norms: 1 + weight.
      } else if ((node.opType === 'Add' || node.opType === 'Mul') && this.#index.isScalar(first)) {
        current = second;
      } else {
        return null;
      }
    }
    return null;
  }

  #weight(origin: Origin, elements = Number(elementCount(origin.tensor.dims))): void {
    const key = storageKey(origin.tensor);
    if (!this.#weights.has(key)) this.#weights.set(key, { dtype: dtypeName(origin.tensor.dataType), elements });
    this.#bytes.set(key, Number(byteLength(origin.tensor.dataType, origin.tensor.dims) ?? 0n));
    this.#companions(origin.companions);
  }

  #companions(names: readonly string[]): void {
    for (const name of names) {
      const tensor = this.#index.constant(name);
      if (tensor !== undefined) {
        this.#bytes.set(storageKey(tensor), Number(byteLength(tensor.dataType, tensor.dims) ?? 0n));
      }
    }
  }
}

/** Equal for tensors that are the same bytes on disk, even under two names. */
function storageKey(tensor: TensorProto): string {
  const range = externalRange(tensor);
  return range === null ? `name ${tensor.name}` : `file ${range.location} ${range.offset} ${tensor.dims.join('x')}`;
}

function addAll(set: Set<string>, names: readonly string[]): void {
  for (const name of names) if (name !== '') set.add(name);
}
