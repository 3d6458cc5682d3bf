import type { GraphProto, NodeProto, TensorProto } from 'onnx-buf';
import { elementCount } from './onnx-dtypes.ts';

/** The constants of a graph (initializers and Constant nodes) and who produces and consumes each value. */
export class GraphIndex {
  readonly #constants = new Map<string, TensorProto>();
  readonly #producers = new Map<string, NodeProto>();
  readonly #consumers = new Map<string, NodeProto[]>();
  readonly outputs: ReadonlySet<string>;

  constructor(graph: GraphProto) {
    for (const tensor of graph.initializer) this.#constants.set(tensor.name, tensor);
    for (const node of graph.node) {
      const tensor = node.opType === 'Constant' ? node.attribute.find(({ name }) => name === 'value')?.t : undefined;
      for (const output of node.output) {
        if (tensor === undefined) this.#producers.set(output, node);
        else this.#constants.set(output, tensor);
      }
      for (const input of valuesReadBy(node)) {
        const readers = this.#consumers.get(input);
        if (readers === undefined) this.#consumers.set(input, [node]);
        else readers.push(node);
      }
    }
    this.outputs = new Set(graph.output.map((value) => value.name));
  }

  constant(name: string): TensorProto | undefined {
    return this.#constants.get(name);
  }

  producer(name: string): NodeProto | undefined {
    return this.#producers.get(name);
  }

  /** The nodes that read a value, once for each time they do. */
  consumers(name: string): readonly NodeProto[] {
    return this.#consumers.get(name) ?? [];
  }

  /** A constant of one element: an epsilon, a scale, an exponent. */
  isScalar(name: string): boolean {
    const tensor = this.constant(name);
    return tensor !== undefined && elementCount(tensor.dims) === 1n;
  }
}

/** The inputs of a node and, for If and Loop, the outer values that its subgraphs read. */
function valuesReadBy(node: NodeProto): string[] {
  const names = node.input.filter((name) => name !== '');
  for (const { g, graphs } of node.attribute) {
    for (const graph of g === undefined ? graphs : [g, ...graphs]) {
      for (const inner of graph.node) names.push(...valuesReadBy(inner));
      names.push(...graph.output.map((value) => value.name));
    }
  }
  return names;
}

/** An integer attribute of a node. */
export function intAttribute(node: NodeProto, name: string): bigint | undefined {
  return node.attribute.find((attribute) => attribute.name === name)?.i;
}
