import { create, toBinary } from '@bufbuild/protobuf';
import {
  AttributeProto_AttributeType as AttributeType,
  AttributeProtoSchema,
  GraphProtoSchema,
  ModelProtoSchema,
  NodeProtoSchema,
  OperatorSetIdProtoSchema,
  StringStringEntryProtoSchema,
  TensorProto_DataLocation as DataLocation,
  TensorProto_DataType as DataType,
  TensorProtoSchema,
  TensorShapeProto_DimensionSchema,
  TensorShapeProtoSchema,
  TypeProto_TensorSchema,
  TypeProtoSchema,
  ValueInfoProtoSchema,
} from 'onnx-buf';
import type { AttributeProto, NodeProto, TensorProto, ValueInfoProto } from 'onnx-buf';

/** Standard operators in the form they had in operator set 17, which IR version 8 belongs to. */
const OPSET = 17n;
const IR_VERSION = 8n;

type Attributes = Readonly<Record<string, number | readonly number[]>>;
type Dimension = number | string;

/** Collects the nodes, constants and weights of an ONNX graph in the order in which they are used. */
export class GraphBuilder {
  readonly #nodes: NodeProto[] = [];
  readonly #tensors = new Map<string, TensorProto>();
  readonly #inputs: ValueInfoProto[] = [];
  readonly #outputs: ValueInfoProto[] = [];

  /** Adds a node with one output, which is named after the node unless `output` names it. Returns the output's name. */
  node(name: string, opType: string, input: readonly string[], attributes: Attributes = {}, output?: string): string {
    const result = output ?? `${name}_output_0`;
    const attribute = Object.entries(attributes).map(([key, value]) => integerAttribute(key, value));
    this.#nodes.push(create(NodeProtoSchema, { name, opType, input: [...input], output: [result], attribute }));
    return result;
  }

  /** A constant of whole numbers: a vector, or a scalar where `value` is one number. Equal ones are stored once. */
  int64(value: number | readonly (number | bigint)[]): string {
    const values = typeof value === 'number' ? [value] : value;
    const name = `${typeof value === 'number' ? 'scalar' : 'ints'}_${values.join('_')}`;
    if (!this.#tensors.has(name)) {
      const dims = typeof value === 'number' ? [] : [BigInt(values.length)];
      const raw = new BigInt64Array(values.map((item) => BigInt(item)));
      this.#add(name, DataType.INT64, dims, new Uint8Array(raw.buffer));
    }
    return name;
  }

  /** A float constant with a name of its own. */
  float32(name: string, dims: readonly number[], values: ArrayLike<number>): string {
    if (!this.#tensors.has(name)) {
      const raw = Float32Array.from(values);
      this.#add(name, DataType.FLOAT, dims.map(BigInt), new Uint8Array(raw.buffer));
    }
    return name;
  }

  /** Float weights that lie in a file beside the graph. */
  external(name: string, dims: readonly number[], location: string, offset: number, length: number): string {
    const entries = Object.entries({ location, offset, length });
    const tensor = create(TensorProtoSchema, {
      name,
      dataType: DataType.FLOAT,
      dims: dims.map(BigInt),
      dataLocation: DataLocation.EXTERNAL,
      externalData: entries.map(([key, value]) => create(StringStringEntryProtoSchema, { key, value: String(value) })),
    });
    this.#tensors.set(name, tensor);
    return name;
  }

  input(name: string, dtype: 'float32' | 'int64', shape: readonly Dimension[]): string {
    this.#inputs.push(valueInfo(name, dtype, shape));
    return name;
  }

  output(name: string, shape: readonly Dimension[]): void {
    this.#outputs.push(valueInfo(name, 'float32', shape));
  }

  /** The .onnx file. */
  bytes(graphName: string, metadata: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> {
    const model = create(ModelProtoSchema, {
      irVersion: IR_VERSION,
      producerName: 'tokenscope',
      opsetImport: [create(OperatorSetIdProtoSchema, { domain: '', version: OPSET })],
      graph: create(GraphProtoSchema, {
        name: graphName,
        node: this.#nodes,
        initializer: [...this.#tensors.values()],
        input: this.#inputs,
        output: this.#outputs,
      }),
      metadataProps: Object.entries(metadata).map(([key, value]) =>
        create(StringStringEntryProtoSchema, { key, value }),
      ),
    });
    return toBinary(ModelProtoSchema, model);
  }

  #add(name: string, dataType: DataType, dims: bigint[], rawData: Uint8Array<ArrayBuffer>): void {
    this.#tensors.set(name, create(TensorProtoSchema, { name, dataType, dims, rawData }));
  }
}

function integerAttribute(name: string, value: number | readonly number[]): AttributeProto {
  return typeof value === 'number'
    ? create(AttributeProtoSchema, { name, type: AttributeType.INT, i: BigInt(value) })
    : create(AttributeProtoSchema, { name, type: AttributeType.INTS, ints: value.map(BigInt) });
}

function valueInfo(name: string, dtype: 'float32' | 'int64', shape: readonly Dimension[]): ValueInfoProto {
  const dim = shape.map((size) =>
    create(TensorShapeProto_DimensionSchema, {
      value: typeof size === 'number' ? { case: 'dimValue', value: BigInt(size) } : { case: 'dimParam', value: size },
    }),
  );
  const tensor = create(TypeProto_TensorSchema, {
    elemType: dtype === 'float32' ? DataType.FLOAT : DataType.INT64,
    shape: create(TensorShapeProtoSchema, { dim }),
  });
  return create(ValueInfoProtoSchema, {
    name,
    type: create(TypeProtoSchema, { value: { case: 'tensorType', value: tensor } }),
  });
}
