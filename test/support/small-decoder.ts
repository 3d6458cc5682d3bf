import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { ModelProtoSchema, TensorProto_DataLocation as DataLocation } from 'onnx-buf';
import { DEMO_FOLDER } from './demo.ts';
import { FLOAT, FLOAT16, INT64, INT8, modelBytes, node, type SmallModel, UINT8, value } from './onnx-file.ts';

/** Decoders of some thousand weights in every form that published exports have, written without the code under test. */
export interface DecoderVariant {
  /** GroupQueryAttention with rotary positions inside, or standard operators. */
  attention?: 'decomposed' | 'gqa';
  /** Without them positions come from attention_mask. GroupQueryAttention needs none. */
  positionIds?: boolean;
  /** Of activations and weights. */
  compute?: 'float32' | 'float16';
  /** Of the cache, where attention is decomposed; else that of the activations. */
  cache?: 'float32' | 'float16';
  logits?: 'float32' | 'float16';
  matrices?: 'plain' | 'MatMulNBits 4' | 'MatMulNBits 8' | 'MatMulBnb4' | 'DequantizeLinear' | 'MatMulInteger';
  embedding?: 'Gather' | 'GatherBlockQuantized';
  tied?: boolean;
  /** `keep`: the input num_logits_to_keep. `reshaped`: a form that no pruning knows. `cut`: only the last position. */
  head?: 'plain' | 'keep' | 'reshaped' | 'cut';
  data?: 'inline' | 'external' | 'sharded';
  /** Key and value heads of each layer. */
  kvHeads?: readonly number[];
  headDim?: number;
}

const VOCABULARY = 1536;
const HIDDEN = 32;
const INNER = 64;
const HEADS = 4;
const POSITIONS = 256;
const BLOCK = 32;
const FLOAT_MAX = 3.4028234663852886e38;
const HALF_MAX = 65_504;

/** Writes a model folder with the demo model's tokenizer. */
export function writeDecoder(folder: string, variant: DecoderVariant): void {
  mkdirSync(join(folder, 'onnx'), { recursive: true });
  for (const name of ['tokenizer.json', 'tokenizer_config.json', 'generation_config.json']) {
    copyFileSync(join(DEMO_FOLDER, name), join(folder, name));
  }
  writeFileSync(
    join(folder, 'config.json'),
    JSON.stringify({ model_type: 'small', max_position_embeddings: POSITIONS }),
  );
  const model = fromBinary(ModelProtoSchema, decoderBytes(variant));
  const files = { inline: 0, external: 1, sharded: 2 }[variant.data ?? 'inline'];
  const shards = Array.from({ length: files }, (): Uint8Array[] => []);
  const ends = shards.map(() => 0);
  model
    .graph!.initializer.filter((tensor) => tensor.rawData.length >= 1024)
    .forEach((tensor, index) => {
      const shard = index % files;
      if (files === 0) return;
      const location = `model.onnx_data${shard === 0 ? '' : `_${shard}`}`;
      const entries = { location, offset: String(ends[shard]), length: String(tensor.rawData.length) };
      shards[shard]!.push(tensor.rawData);
      ends[shard]! += tensor.rawData.length;
      tensor.rawData = new Uint8Array(0);
      tensor.dataLocation = DataLocation.EXTERNAL;
      tensor.externalData = Object.entries(entries).map(([key, text]) => ({
        $typeName: 'onnx.StringStringEntryProto',
        key,
        value: text,
      }));
    });
  shards.forEach((parts, shard) => {
    writeFileSync(join(folder, 'onnx', `model.onnx_data${shard === 0 ? '' : `_${shard}`}`), Buffer.concat(parts));
  });
  writeFileSync(join(folder, 'onnx', 'model.onnx'), toBinary(ModelProtoSchema, model));
}

function decoderBytes(variant: DecoderVariant): Uint8Array<ArrayBuffer> {
  return new SmallDecoder(variant).bytes();
}

type Attributes = Record<string, number | number[]>;
type Nodes = SmallModel['nodes'];
type Tensors = NonNullable<SmallModel['initializers']>;
type Values = NonNullable<SmallModel['inputs']>;

class SmallDecoder {
  readonly #variant: DecoderVariant;
  readonly #nodes: Nodes = [];
  readonly #tensors: Tensors = [];
  readonly #inputs: Values = [];
  readonly #outputs: Values = [];
  /** ONNX's numbers of the types of activations and cache. */
  readonly #type: number;
  readonly #cacheType: number;
  #seed = 7;
  #count = 0;

  constructor(variant: DecoderVariant) {
    this.#variant = variant;
    this.#type = variant.compute === 'float16' ? FLOAT16 : FLOAT;
    const cache = variant.cache ?? variant.compute;
    this.#cacheType = cache === 'float16' ? FLOAT16 : FLOAT;
  }

  bytes(): Uint8Array<ArrayBuffer> {
    const { attention, positionIds = attention !== 'gqa', head = 'plain', logits, kvHeads = [2, 2] } = this.#variant;
    this.#inputs.push(
      value('input_ids', INT64, ['batch', 'sequence']),
      value('attention_mask', INT64, ['batch', 'total']),
    );
    if (positionIds) this.#inputs.push(value('position_ids', INT64, ['batch', 'sequence']));
    const logitsType = logits === 'float16' ? FLOAT16 : FLOAT;
    this.#outputs.push(value('logits', logitsType, ['batch', head === 'cut' ? 1 : 'positions', VOCABULARY]));

    let hidden = this.#embed();
    const layer = attention === 'gqa' ? this.#groupQuery() : this.#decomposed(positionIds);
    kvHeads.forEach((heads, index) => {
      hidden = this.#op('Add', [hidden, layer(index, heads, this.#norm(hidden))]);
      const inner = this.#norm(hidden);
      const gate = this.#linear(inner, HIDDEN, INNER);
      const gated = this.#op('Mul', [
        this.#op('Mul', [gate, this.#op('Sigmoid', [gate])]),
        this.#linear(inner, HIDDEN, INNER),
      ]);
      hidden = this.#op('Add', [hidden, this.#linear(gated, INNER, HIDDEN)]);
    });
    this.#head(this.#norm(hidden), head, logitsType);
    return modelBytes({
      inputs: this.#inputs,
      outputs: this.#outputs,
      nodes: this.#nodes,
      initializers: this.#tensors,
    });
  }

  #embed(): string {
    if (this.#variant.embedding === 'GatherBlockQuantized') {
      this.#tensors.push({ ...raw('table', UINT8, [VOCABULARY, HIDDEN / 2], this.#bytes((VOCABULARY * HIDDEN) / 2)) });
      this.#float('table_scales', [VOCABULARY, 1], Array<number>(VOCABULARY).fill(0.1));
      return this.#op('GatherBlockQuantized', ['table', 'input_ids', 'table_scales'], {
        bits: 4,
        block_size: BLOCK,
        gather_axis: 0,
        quantize_axis: 1,
      });
    }
    this.#random('table', [VOCABULARY, HIDDEN], 0.7);
    return this.#op('Gather', ['table', 'input_ids'], { axis: 0 });
  }

  #head(input: string, form: NonNullable<DecoderVariant['head']>, logitsType: number): void {
    let hidden = input;
    if (form === 'keep') {
      this.#inputs.push(value('num_logits_to_keep', INT64, []));
      const start = this.#op('Unsqueeze', [this.#op('Neg', ['num_logits_to_keep']), this.#ints([0])]);
      hidden = this.#op('Slice', [hidden, start, this.#ints([9_000_000_000]), this.#ints([1])]);
    }
    if (form === 'cut')
      hidden = this.#op('Slice', [hidden, this.#ints([-1]), this.#ints([9_000_000_000]), this.#ints([1])]);
    let logits = this.#headMatrix(hidden);
    if (form === 'reshaped') logits = this.#op('Reshape', [logits, this.#ints([0, 0, VOCABULARY])]);
    if (logitsType === this.#type) this.#nodes.push(node('Identity', [logits], ['logits']));
    else this.#nodes.push(node('Cast', [logits], ['logits'], { to: logitsType }));
  }

  #headMatrix(hidden: string): string {
    if (this.#variant.tied !== true) return this.#linear(hidden, HIDDEN, VOCABULARY);
    if (this.#variant.embedding === 'GatherBlockQuantized') {
      const packed = this.#op('Reshape', ['table', this.#ints([VOCABULARY, 1, HIDDEN / 2])]);
      return this.#op('MatMulNBits', [hidden, packed, 'table_scales'], {
        K: HIDDEN,
        N: VOCABULARY,
        bits: 4,
        block_size: BLOCK,
      });
    }
    return this.#op('MatMul', [hidden, this.#op('Transpose', ['table'], { perm: [1, 0] })]);
  }

  #linear(input: string, inSize: number, outSize: number): string {
    const name = `w${(this.#count += 1)}`;
    const deviation = 1.5 / Math.sqrt(inSize);
    const kind = this.#variant.matrices ?? 'plain';
    switch (kind) {
      case 'plain':
        return this.#op('MatMul', [input, this.#random(name, [inSize, outSize], deviation)]);
      case 'MatMulNBits 4':
      case 'MatMulNBits 8': {
        const bits = kind === 'MatMulNBits 4' ? 4 : 8;
        const blocks = inSize / BLOCK;
        const blob = (BLOCK * bits) / 8;
        this.#tensors.push(raw(name, UINT8, [outSize, blocks, blob], this.#bytes(outSize * blocks * blob)));
        const scale = (2 * deviation * Math.sqrt(3)) / 2 ** bits;
        this.#float(`${name}_scales`, [outSize * blocks], Array<number>(outSize * blocks).fill(scale));
        return this.#op('MatMulNBits', [input, name, `${name}_scales`], {
          K: inSize,
          N: outSize,
          bits,
          block_size: BLOCK,
        });
      }
      case 'MatMulBnb4': {
        this.#tensors.push(raw(name, UINT8, [(inSize * outSize) / 2], this.#bytes((inSize * outSize) / 2)));
        const blocks = (inSize * outSize) / BLOCK;
        this.#float(`${name}_absmax`, [blocks], Array<number>(blocks).fill(2 * deviation));
        const attributes = { K: inSize, N: outSize, block_size: BLOCK, quant_type: 1 };
        return this.#op('MatMulBnb4', [input, name, `${name}_absmax`], attributes);
      }
      case 'DequantizeLinear': {
        this.#int8(name, inSize, outSize);
        this.#float(`${name}_scale`, [], [(deviation * Math.sqrt(3)) / 128]);
        return this.#op('MatMul', [input, this.#op('DequantizeLinear', [name, `${name}_scale`])]);
      }
      case 'MatMulInteger': {
        this.#int8(name, inSize, outSize);
        const [quantized, scale, zero] = [`${name}_q`, `${name}_q_scale`, `${name}_q_zero`];
        this.#nodes.push(node('DynamicQuantizeLinear', [input], [quantized, scale, zero]));
        const sums = this.#op('Cast', [this.#op('MatMulInteger', [quantized, name, zero])], { to: FLOAT });
        this.#float(`${name}_scale`, [1], [(deviation * Math.sqrt(3)) / 128]);
        return this.#op('Mul', [sums, this.#op('Mul', [scale, `${name}_scale`])]);
      }
    }
  }

  #norm(input: string): string {
    const scale = this.#float(`norm${(this.#count += 1)}`, [HIDDEN], Array<number>(HIDDEN).fill(1));
    return this.#op('SimplifiedLayerNormalization', [input, scale], { axis: -1, stash_type: 1 });
  }

  /** Rotary angles of every position: [positions, half a head]. */
  #angles(): { cos: string; sin: string; size: number } {
    const size = this.#variant.headDim ?? HIDDEN / HEADS;
    const half = size / 2;
    const of = (part: (angle: number) => number) =>
      Array.from({ length: POSITIONS * half }, (_, at) => part(Math.floor(at / half) * 100 ** (-(at % half) / half)));
    return {
      cos: this.#float('cos', [POSITIONS, half], of(Math.cos)),
      sin: this.#float('sin', [POSITIONS, half], of(Math.sin)),
      size,
    };
  }

  #cache(layer: number, kvHeads: number, size: number) {
    const names = (['key', 'value'] as const).map((part) => {
      const past = `past_key_values.${layer}.${part}`;
      this.#inputs.push(value(past, this.#cacheType, ['batch', kvHeads, 'past', size]));
      this.#outputs.push(value(`present.${layer}.${part}`, this.#cacheType, ['batch', kvHeads, 'total', size]));
      return [past, `present.${layer}.${part}`] as const;
    });
    return { key: names[0]!, value: names[1]! };
  }

  #groupQuery() {
    const { cos, sin, size } = this.#angles();
    const sum = this.#op('ReduceSum', ['attention_mask', this.#ints([1])], { keepdims: 0 });
    const last = this.#op('Cast', [this.#op('Sub', [sum, this.#ints([1])])], { to: 6 });
    const width = this.#op('Gather', [this.#op('Shape', ['attention_mask']), this.#scalar(1)], { axis: 0 });
    const total = this.#op('Cast', [width], { to: 6 });
    return (layer: number, kvHeads: number, input: string) => {
      const { key, value: values } = this.#cache(layer, kvHeads, size);
      const projections = [HEADS, kvHeads, kvHeads].map((heads) => this.#linear(input, HIDDEN, heads * size));
      const output = `gqa${layer}`;
      const inputs = [...projections, key[0], values[0], last, total, cos, sin];
      const attributes = { num_heads: HEADS, kv_num_heads: kvHeads, do_rotary: 1 };
      this.#nodes.push(node('GroupQueryAttention', inputs, [output, key[1], values[1]], attributes));
      return this.#linear(output, HEADS * size, HIDDEN);
    };
  }

  #decomposed(positionIds: boolean) {
    const { cos, sin, size } = this.#angles();
    const one = this.#ints([1]);
    const zero = this.#ints([0]);
    const length = this.#op('Slice', [this.#op('Shape', ['input_ids']), one, this.#ints([2])]);
    const total = this.#op('Slice', [this.#op('Shape', ['attention_mask']), one, this.#ints([2])]);
    const end = this.#ints([9_000_000_000]);
    const counted = this.#op('CumSum', ['attention_mask', this.#scalar(1)]);
    const clipped = this.#op('Max', [this.#op('Sub', [counted, one]), zero]);
    const positions = positionIds ? 'position_ids' : this.#op('Slice', [clipped, this.#op('Neg', [length]), end, one]);
    const rotation = [cos, sin].map((table) =>
      this.#op('Unsqueeze', [this.#op('Gather', [table, positions], { axis: 0 }), one]),
    );
    const keys = this.#op('Range', [this.#scalar(0), this.#op('Squeeze', [total, zero]), this.#scalar(1)]);
    const queries = this.#op('Slice', [keys, this.#op('Neg', [length]), end, zero]);
    const causal = this.#op('LessOrEqual', [keys, this.#op('Unsqueeze', [queries, one])]);
    const visible = this.#op('Unsqueeze', [this.#op('Cast', ['attention_mask'], { to: 9 }), this.#ints([1, 2])]);
    const most = this.#type === FLOAT16 ? HALF_MAX : FLOAT_MAX;
    const [keep, drop] = [this.#float('keep', [1], [0]), this.#float('drop', [1], [-most])];
    const mask = this.#op('Where', [this.#op('And', [causal, visible]), keep, drop]);

    const rotate = (input: string) => {
      const axis = this.#ints([3]);
      const first = this.#op('Slice', [input, zero, this.#ints([size / 2]), axis]);
      const second = this.#op('Slice', [input, this.#ints([size / 2]), end, axis]);
      const [c = '', s = ''] = rotation;
      const turned = [
        this.#op('Sub', [this.#op('Mul', [first, c]), this.#op('Mul', [second, s])]),
        this.#op('Add', [this.#op('Mul', [second, c]), this.#op('Mul', [first, s])]),
      ];
      return this.#op('Concat', turned, { axis: -1 });
    };
    return (layer: number, kvHeads: number, input: string) => {
      const cache = this.#cache(layer, kvHeads, size);
      const split = (heads: number) => {
        const projected = this.#op('Reshape', [
          this.#linear(input, HIDDEN, heads * size),
          this.#ints([0, 0, heads, size]),
        ]);
        return this.#op('Transpose', [projected], { perm: [0, 2, 1, 3] });
      };
      const grown = (part: readonly [past: string, present: string], fresh: string) => {
        this.#nodes.push(
          node('Concat', [part[0], this.#cast(fresh, this.#type, this.#cacheType)], [part[1]], { axis: 2 }),
        );
        const all = this.#op('Unsqueeze', [this.#cast(part[1], this.#cacheType, this.#type), this.#ints([2])]);
        const spread = this.#op('Expand', [all, this.#ints([1, 1, HEADS / kvHeads, 1, 1])]);
        return this.#op('Reshape', [spread, this.#ints([0, HEADS, -1, size])]);
      };
      const query = rotate(split(HEADS));
      const key = grown(cache.key, rotate(split(kvHeads)));
      const values = grown(cache.value, split(kvHeads));
      const scale = this.#float('attention_scale', [1], [1 / Math.sqrt(size)]);
      const scores = this.#op('MatMul', [
        this.#op('Mul', [query, scale]),
        this.#op('Transpose', [key], { perm: [0, 1, 3, 2] }),
      ]);
      const shares = this.#op('Softmax', [this.#op('Add', [scores, mask])], { axis: -1 });
      const mixed = this.#op('Transpose', [this.#op('MatMul', [shares, values])], { perm: [0, 2, 1, 3] });
      return this.#linear(this.#op('Reshape', [mixed, this.#ints([0, 0, HEADS * size])]), HEADS * size, HIDDEN);
    };
  }

  #cast(input: string, from: number, to: number): string {
    return from === to ? input : this.#op('Cast', [input], { to });
  }

  #op(opType: string, inputs: string[], attributes: Attributes = {}): string {
    const output = `v${(this.#count += 1)}`;
    this.#nodes.push(node(opType, inputs, [output], attributes));
    return output;
  }

  #ints(values: number[]): string {
    return this.#once(`ints_${values.join('_')}`, INT64, [values.length], BigInt64Array.from(values.map(BigInt)));
  }

  #scalar(number: number): string {
    return this.#once(`scalar_${number}`, INT64, [], BigInt64Array.of(BigInt(number)));
  }

  /** A constant of the activations' type. */
  #float(name: string, dims: number[], values: number[]): string {
    const data = this.#type === FLOAT16 ? Uint16Array.from(values, halfBits) : Float32Array.from(values);
    return this.#once(name, this.#type, dims, data);
  }

  #random(name: string, dims: number[], deviation: number): string {
    const size = dims.reduce((product, dim) => product * dim, 1);
    return this.#float(
      name,
      dims,
      Array.from({ length: size }, () => (this.#unit() - 0.5) * deviation * Math.sqrt(12)),
    );
  }

  #int8(name: string, inSize: number, outSize: number): void {
    this.#once(
      name,
      INT8,
      [inSize, outSize],
      Int8Array.from(this.#bytes(inSize * outSize), (byte) => byte - 128),
    );
  }

  #bytes(count: number): Uint8Array<ArrayBuffer> {
    return Uint8Array.from({ length: count }, () => Math.floor(this.#unit() * 256));
  }

  #once(name: string, dataType: number, dims: number[], data: ArrayBufferView<ArrayBuffer>): string {
    if (!this.#tensors.some((tensor) => tensor.name === name)) this.#tensors.push(raw(name, dataType, dims, data));
    return name;
  }

  /** Lehmer's generator: enough for weights that differ. */
  #unit(): number {
    this.#seed = (this.#seed * 48_271) % 2_147_483_647;
    return this.#seed / 2_147_483_647;
  }
}

function raw(name: string, dataType: number, dims: number[], data: ArrayBufferView<ArrayBuffer>): Tensors[number] {
  const rawData = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return { name, dataType, dims: dims.map(BigInt), rawData };
}

/** The half-precision number next to zero from a number of ordinary size. */
export function halfBits(number: number): number {
  const bits = new DataView(new ArrayBuffer(4));
  bits.setFloat32(0, number);
  const pattern = bits.getUint32(0);
  const sign = (pattern >>> 16) & 0x8000;
  const exponent = ((pattern >>> 23) & 0xff) - 112;
  if (exponent <= 0) return sign;
  return sign | Math.min(0x7bff, (exponent << 10) | ((pattern >>> 13) & 0x3ff));
}
