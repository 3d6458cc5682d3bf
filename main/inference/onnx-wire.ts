import { TensorProto_DataType as DataType } from 'onnx-buf';
import { TokenscopeError } from '../../shared/errors.ts';
import type { FileWindow } from './file-window.ts';
import { isIndexType } from './onnx-dtypes.ts';
import { graphShape, modelShape, tensorShape } from './onnx-messages.ts';
import type { MessageShape } from './onnx-messages.ts';

/**
 * Reads the protobuf wire format of a .onnx file field by field, so that weights are passed over instead of read.
 * Field numbers are those of onnx.proto (onnx/onnx, IR version 13).
 */

/** Weights of at least this size stay in the file. Below it a reference costs about as much as the data. */
const REFERENCE_FROM_BYTES = 1024;
/** Shapes and indices are needed by shape inference, which reads no external data; real ones are far below this. */
const INLINE_INDEX_BYTES = 1024 * 1024;
/** What a graph may hold besides referenced weights. Graphs of published models are below 20 MB. */
const MAX_GRAPH_BYTES = 256 * 1024 * 1024;
/** Fields and list entries that a graph may hold. Decoded, each costs some 100 bytes; published models have 100,000s. */
const MAX_GRAPH_VALUES = 4_000_000;

/** Where the bytes of one initializer lie in the file. */
export interface WeightRange {
  readonly offset: number;
  readonly length: number;
}

export interface Skeleton {
  /** A ModelProto like the file's, but for the large weights. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** By position in `graph.initializer`: the weights that were left in the file. */
  readonly ranges: ReadonlyMap<number, WeightRange>;
}

interface Field {
  readonly number: number;
  readonly wire: number;
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

const FLOAT: number = DataType.FLOAT;
const DOUBLE: number = DataType.DOUBLE;

const VARINT = 0;
const FIXED64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED32 = 5;

const MODEL = { graph: 7 } as const;
const GRAPH = { initializer: 5 } as const;
const TENSOR = { dataType: 2, floatData: 4, rawData: 9, doubleData: 10 } as const;

/** Reads all of a model but its large weights. Throws a `model` error with the byte where the file makes no sense. */
export function readSkeleton(file: FileWindow): Skeleton {
  return new SkeletonReader(file).read();
}

class SkeletonReader {
  readonly #file: FileWindow;
  readonly #chunks: Uint8Array[] = [];
  readonly #ranges = new Map<number, WeightRange>();
  #values = 0;
  #bytes = 0;

  constructor(file: FileWindow) {
    this.#file = file;
  }

  read(): Skeleton {
    let graph: Field | undefined;
    for (const field of this.#fields(0, this.#file.size)) {
      if (field.number === MODEL.graph && field.wire === LENGTH_DELIMITED) {
        if (graph !== undefined) throw this.#corrupt(field.start, 'a second graph');
        graph = field;
        this.#graph(field);
      } else {
        this.#keep(field, modelShape);
      }
    }
    if (graph === undefined) throw this.#corrupt(this.#file.size, 'the end of the file, and no graph before it');
    return { bytes: join(this.#chunks, this.#bytes), ranges: this.#ranges };
  }

  #graph(graph: Field): void {
    const slot = this.#openMessage();
    let initializers = 0;
    for (const field of this.#fields(graph.valueStart, graph.end)) {
      if (field.number === GRAPH.initializer && field.wire === LENGTH_DELIMITED) {
        this.#initializer(field, initializers);
        initializers += 1;
      } else {
        this.#keep(field, graphShape);
      }
    }
    this.#closeMessage(slot, MODEL.graph);
  }

  #initializer(tensor: Field, index: number): void {
    const fields: Field[] = [];
    for (const field of this.#fields(tensor.valueStart, tensor.end)) {
      this.#count(1, field);
      fields.push(field);
    }
    const dataTypeField = fields.find((field) => field.number === TENSOR.dataType && field.wire === VARINT);
    const dataType = dataTypeField === undefined ? 0 : Number(this.#varint(dataTypeField.valueStart, tensor.end).value);
    const data = this.#referencable(fields, dataType);
    if (data === undefined) {
      this.#keep(tensor, graphShape);
      return;
    }
    this.#ranges.set(index, { offset: data.valueStart, length: data.end - data.valueStart });
    const slot = this.#openMessage();
    for (const field of fields) if (field !== data) this.#keep(field, tensorShape);
    this.#closeMessage(slot, GRAPH.initializer);
  }

  /** The field with the tensor's bytes, where they can be used as they lie in the file. */
  #referencable(fields: readonly Field[], dataType: number): Field | undefined {
    const least = isIndexType(dataType) ? INLINE_INDEX_BYTES : REFERENCE_FROM_BYTES;
    const holders = fields.filter(
      (field) =>
        field.wire === LENGTH_DELIMITED &&
        // Packed floats are little-endian, the same bytes as raw data.
        (field.number === TENSOR.rawData ||
          (field.number === TENSOR.floatData && dataType === FLOAT) ||
          (field.number === TENSOR.doubleData && dataType === DOUBLE)),
    );
    const [only] = holders;
    return holders.length === 1 && only !== undefined && only.end - only.valueStart >= least ? only : undefined;
  }

  /** Copies a field as it is. */
  #keep(field: Field, parent: MessageShape): void {
    this.#charge(field, parent);
    this.#append(this.#file.bytes(field.start, this.#room(field.end - field.start)));
  }

  /** Counts what decoding the field will create, so that a small file cannot unfold into gigabytes. */
  #charge(field: Field, parent: MessageShape, depth = 0): void {
    const nested = parent.messages[field.number];
    if (field.wire !== LENGTH_DELIMITED) {
      this.#count(1, field);
    } else if (nested !== undefined && depth < 100) {
      this.#count(1, field);
      for (const inner of this.#fields(field.valueStart, field.end)) this.#charge(inner, nested(), depth + 1);
    } else {
      this.#count(parent.packed.includes(field.number) ? field.end - field.valueStart : 1, field);
    }
  }

  #count(values: number, field: Field): void {
    this.#values += values;
    if (this.#values > MAX_GRAPH_VALUES) {
      throw new TokenscopeError('model', `holds over ${MAX_GRAPH_VALUES} graph entries before byte ${field.end}`, {
        path: this.#file.path,
        remedy: 'this is no usable language model graph',
      });
    }
  }

  #room(length: number): number {
    if (this.#bytes + length > MAX_GRAPH_BYTES) {
      throw new TokenscopeError(
        'model',
        `holds ${this.#bytes + length} bytes outside of its initializers; up to ${MAX_GRAPH_BYTES} are read`,
        { path: this.#file.path, remedy: 'export it with its weights as initializers' },
      );
    }
    return length;
  }

  #append(bytes: Uint8Array): void {
    this.#chunks.push(bytes);
    this.#bytes += bytes.length;
  }

  #openMessage(): { readonly index: number; readonly bytes: number } {
    this.#chunks.push(new Uint8Array(0));
    return { index: this.#chunks.length - 1, bytes: this.#bytes };
  }

  #closeMessage(slot: { readonly index: number; readonly bytes: number }, field: number): void {
    const header = [...varint((field << 3) | LENGTH_DELIMITED), ...varint(this.#bytes - slot.bytes)];
    this.#chunks[slot.index] = Uint8Array.from(header);
    this.#bytes += header.length;
  }

  *#fields(start: number, end: number): Generator<Field> {
    let position = start;
    while (position < end) {
      const tag = this.#varint(position, end);
      const wire = Number(tag.value & 7n);
      const number = Number(tag.value >> 3n);
      if (number < 1 || number > 0x1fffffff) throw this.#corrupt(position, `field number ${number}`);
      const [valueStart, valueEnd] = this.#value(wire, number, tag.end, end);
      yield { number, wire, start: position, valueStart, end: valueEnd };
      position = valueEnd;
    }
  }

  #value(wire: number, number: number, start: number, end: number): [number, number] {
    switch (wire) {
      case VARINT:
        return [start, this.#varint(start, end).end];
      case FIXED64:
      case FIXED32: {
        const length = wire === FIXED64 ? 8 : 4;
        if (end - start < length)
          throw this.#corrupt(start, `field ${number} of ${length} bytes with ${end - start} left`);
        return [start, start + length];
      }
      case LENGTH_DELIMITED: {
        const length = this.#varint(start, end);
        const left = end - length.end;
        if (length.value > BigInt(left)) {
          throw this.#corrupt(start, `field ${number} of ${length.value} bytes with ${left} left`);
        }
        return [length.end, length.end + Number(length.value)];
      }
      default:
        throw this.#corrupt(start, `field ${number} with wire type ${wire}, which ONNX does not use`);
    }
  }

  #varint(start: number, end: number): { readonly value: bigint; readonly end: number } {
    let value = 0n;
    for (let index = 0; index < 10; index += 1) {
      const position = start + index;
      if (position >= end) throw this.#corrupt(position, 'the end of its data in the middle of a number');
      const byte = this.#file.byte(position);
      value |= BigInt(byte & 0x7f) << BigInt(7 * index);
      if (byte < 0x80) return { value, end: position + 1 };
    }
    throw this.#corrupt(start, 'a number of more than 10 bytes');
  }

  #corrupt(position: number, found: string): TokenscopeError {
    return new TokenscopeError(
      'model',
      `is not a complete ONNX model: byte ${position} of ${this.#file.size} has ${found}`,
      {
        path: this.#file.path,
        remedy: 'the download may have been cut off; fetch the file again',
      },
    );
  }
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

function join(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(length);
  let position = 0;
  for (const chunk of chunks) {
    joined.set(chunk, position);
    position += chunk.length;
  }
  return joined;
}
