import type { ModelShape, RopeShape } from '../../shared/model-shape.ts';
import type { GraphBuilder } from './graph-builder.ts';

const INT64_MAX = 2n ** 63n - 1n;
/** ONNX's number of the type, for Cast. */
const FLOAT = 1;
const BOOL = 9;
/** The most negative float32: a masked score. Not -Infinity, which would make a row without any key NaN. */
const MASKED = -3.4028234663852886e38;

interface Rotation {
  readonly cos: string;
  readonly sin: string;
}

/** Shapes that are computed once and used by every layer. */
interface Expansion {
  /** [batch, kv heads, heads per kv head, total, head size] and [batch, heads, total, head size]. */
  readonly grouped: string;
  readonly flat: string;
}

/**
 * Writes the nodes of a decoder in the layout of Hugging Face ONNX exports: input_ids, attention_mask, position_ids and
 * past_key_values.N.key/value in, logits and present.N.key/value out. Attention is decomposed into standard operators,
 * and its mask is safe for rows that are padded on the left. The weights (decoder-weights.ts) must be in the builder.
 */
export function buildDecoder(builder: GraphBuilder, shape: ModelShape): void {
  new DecoderGraph(builder, shape).build();
}

class DecoderGraph {
  readonly #builder: GraphBuilder;
  readonly #shape: ModelShape;

  constructor(builder: GraphBuilder, shape: ModelShape) {
    this.#builder = builder;
    this.#shape = shape;
  }

  build(): void {
    const { layers, vocabularySize, kvHeads, headDim } = this.#shape;
    const builder = this.#builder;
    builder.input('input_ids', 'int64', ['batch_size', 'sequence_length']);
    builder.input('attention_mask', 'int64', ['batch_size', 'total_sequence_length']);
    builder.input('position_ids', 'int64', ['batch_size', 'sequence_length']);
    builder.output('logits', ['batch_size', 'sequence_length', vocabularySize]);
    for (let layer = 0; layer < layers; layer += 1) {
      for (const part of ['key', 'value']) {
        builder.input(`past_key_values.${layer}.${part}`, 'float32', [
          'batch_size',
          kvHeads,
          'past_sequence_length',
          headDim,
        ]);
        builder.output(`present.${layer}.${part}`, ['batch_size', kvHeads, 'total_sequence_length', headDim]);
      }
    }

    let hidden = builder.node('/model/embed_tokens/Gather', 'Gather', ['model.embed_tokens.weight', 'input_ids'], {
      axis: 0,
    });
    const rotation = this.#rotation();
    const { mask, expansion } = this.#mask();
    for (let layer = 0; layer < layers; layer += 1) hidden = this.#layer(layer, hidden, rotation, mask, expansion);
    this.#head(this.#norm('/model/norm', 'model.norm.weight', hidden));
  }

  #rotation(): Rotation {
    const builder = this.#builder;
    const path = '/model/rotary_emb';
    const frequencies = rotaryFrequencies(this.#shape.rope, this.#shape.headDim);
    const inverse = builder.float32('model.rotary_emb.inv_freq', [1, 1, frequencies.length], frequencies);
    const positions = builder.node(`${path}/Unsqueeze`, 'Unsqueeze', ['position_ids', builder.int64([2])]);
    const float = builder.node(`${path}/Cast`, 'Cast', [positions], { to: FLOAT });
    const angles = builder.node(`${path}/Mul`, 'Mul', [float, inverse]);
    const both = builder.node(`${path}/Concat`, 'Concat', [angles, angles], { axis: -1 });
    const part = (opType: 'Cos' | 'Sin') => {
      const value = builder.node(`${path}/${opType}`, opType, [both]);
      return builder.node(`${path}/Unsqueeze_${opType}`, 'Unsqueeze', [value, builder.int64([1])]);
    };
    return { cos: part('Cos'), sin: part('Sin') };
  }

  /** A query sees the keys at and before its own place that the attention mask leaves visible. */
  #mask(): { mask: string; expansion: Expansion } {
    const { heads, kvHeads, headDim } = this.#shape;
    const builder = this.#builder;
    const zero = builder.int64([0]);
    const one = builder.int64([1]);
    const two = builder.int64([2]);
    const idsShape = builder.node('/model/Shape', 'Shape', ['input_ids']);
    const batch = builder.node('/model/Slice_batch', 'Slice', [idsShape, zero, one]);
    const length = builder.node('/model/Slice_sequence', 'Slice', [idsShape, one, two]);
    const maskShape = builder.node('/model/Shape_mask', 'Shape', ['attention_mask']);
    const total = builder.node('/model/Slice_total', 'Slice', [maskShape, one, two]);
    const totalScalar = builder.node('/model/Squeeze_total', 'Squeeze', [total, zero]);
    const lengthScalar = builder.node('/model/Squeeze_sequence', 'Squeeze', [length, zero]);
    const past = builder.node('/model/Sub', 'Sub', [totalScalar, lengthScalar]);
    const step = builder.int64(1);
    const queries = builder.node('/model/Range_queries', 'Range', [past, totalScalar, step]);
    const keys = builder.node('/model/Range_keys', 'Range', [builder.int64(0), totalScalar, step]);
    const queryColumn = builder.node('/model/Unsqueeze_queries', 'Unsqueeze', [queries, one]);
    const keyRow = builder.node('/model/Unsqueeze_keys', 'Unsqueeze', [keys, zero]);
    const causal = builder.node('/model/LessOrEqual', 'LessOrEqual', [keyRow, queryColumn]);
    const visible = builder.node('/model/Cast_mask', 'Cast', ['attention_mask'], { to: BOOL });
    const visibleKeys = builder.node('/model/Unsqueeze_mask', 'Unsqueeze', [visible, builder.int64([1, 2])]);
    const allowed = builder.node('/model/And', 'And', [causal, visibleKeys]);
    const keep = builder.float32('mask_keep', [1], [0]);
    const drop = builder.float32('mask_drop', [1], [MASKED]);
    const mask = builder.node('/model/Where', 'Where', [allowed, keep, drop]);
    const size = builder.int64([headDim]);
    const grouped = [batch, builder.int64([kvHeads]), builder.int64([heads / kvHeads]), total, size];
    const flat = [batch, builder.int64([heads]), total, size];
    return {
      mask,
      expansion: {
        grouped: builder.node('/model/Concat_grouped', 'Concat', grouped, { axis: 0 }),
        flat: builder.node('/model/Concat_flat', 'Concat', flat, { axis: 0 }),
      },
    };
  }

  #layer(layer: number, hidden: string, rotation: Rotation, mask: string, expansion: Expansion): string {
    const builder = this.#builder;
    const path = `/model/layers.${layer}`;
    const weights = `model.layers.${layer}`;
    const normed = this.#norm(`${path}/input_layernorm`, `${weights}.input_layernorm.weight`, hidden);
    const attended = this.#attention(layer, normed, rotation, mask, expansion);
    const afterAttention = builder.node(`${path}/Add`, 'Add', [hidden, attended]);
    const mlpInput = this.#norm(
      `${path}/post_attention_layernorm`,
      `${weights}.post_attention_layernorm.weight`,
      afterAttention,
    );
    const gate = builder.node(`${path}/mlp/gate_proj/MatMul`, 'MatMul', [mlpInput, `${weights}.mlp.gate_proj.weight`]);
    const sigmoid = builder.node(`${path}/mlp/act_fn/Sigmoid`, 'Sigmoid', [gate]);
    const silu = builder.node(`${path}/mlp/act_fn/Mul`, 'Mul', [gate, sigmoid]);
    const up = builder.node(`${path}/mlp/up_proj/MatMul`, 'MatMul', [mlpInput, `${weights}.mlp.up_proj.weight`]);
    const product = builder.node(`${path}/mlp/Mul`, 'Mul', [silu, up]);
    const down = builder.node(`${path}/mlp/down_proj/MatMul`, 'MatMul', [product, `${weights}.mlp.down_proj.weight`]);
    return builder.node(`${path}/Add_1`, 'Add', [afterAttention, down]);
  }

  #attention(layer: number, input: string, rotation: Rotation, mask: string, expansion: Expansion): string {
    const { heads, kvHeads, headDim } = this.#shape;
    const builder = this.#builder;
    const path = `/model/layers.${layer}/self_attn`;
    const weights = `model.layers.${layer}.self_attn`;
    const rotatedQueries = this.#rotate(`${path}/q`, this.#heads(layer, 'q', input, heads), rotation);
    const rotatedKeys = this.#rotate(`${path}/k`, this.#heads(layer, 'k', input, kvHeads), rotation);
    const values = this.#heads(layer, 'v', input, kvHeads);
    const cached = (part: 'key' | 'value', fresh: string) =>
      builder.node(
        `${path}/Concat_${part}`,
        'Concat',
        [`past_key_values.${layer}.${part}`, fresh],
        { axis: 2 },
        `present.${layer}.${part}`,
      );
    const allKeys = this.#repeat(`${path}/key`, cached('key', rotatedKeys), expansion);
    const allValues = this.#repeat(`${path}/value`, cached('value', values), expansion);
    const scale = builder.float32('attention_scale', [1], [1 / Math.sqrt(headDim)]);
    const scaled = builder.node(`${path}/Mul_scale`, 'Mul', [rotatedQueries, scale]);
    const columns = builder.node(`${path}/Transpose_keys`, 'Transpose', [allKeys], { perm: [0, 1, 3, 2] });
    const scores = builder.node(`${path}/MatMul`, 'MatMul', [scaled, columns]);
    const masked = builder.node(`${path}/Add`, 'Add', [scores, mask]);
    const shares = builder.node(`${path}/Softmax`, 'Softmax', [masked], { axis: -1 });
    const mixed = builder.node(`${path}/MatMul_1`, 'MatMul', [shares, allValues]);
    const rows = builder.node(`${path}/Transpose_out`, 'Transpose', [mixed], { perm: [0, 2, 1, 3] });
    const joined = builder.node(`${path}/Reshape_out`, 'Reshape', [rows, builder.int64([0, 0, heads * headDim])]);
    return builder.node(`${path}/o_proj/MatMul`, 'MatMul', [joined, `${weights}.o_proj.weight`]);
  }

  /** A projection as [batch, heads, sequence, head size]. */
  #heads(layer: number, part: 'q' | 'k' | 'v', input: string, heads: number): string {
    const builder = this.#builder;
    const path = `/model/layers.${layer}/self_attn/${part}_proj`;
    const weights = `model.layers.${layer}.self_attn`;
    let projected = builder.node(`${path}/MatMul`, 'MatMul', [input, `${weights}.${part}_proj.weight`]);
    if (this.#shape.qkvBias) {
      projected = builder.node(`${path}/Add`, 'Add', [`${weights}.${part}_proj.bias`, projected]);
    }
    let split = builder.node(`${path}/Reshape`, 'Reshape', [
      projected,
      builder.int64([0, 0, heads, this.#shape.headDim]),
    ]);
    if (this.#shape.qkNorm && part !== 'v') {
      split = this.#norm(`/model/layers.${layer}/self_attn/${part}_norm`, `${weights}.${part}_norm.weight`, split);
    }
    return builder.node(`${path}/Transpose`, 'Transpose', [split], { perm: [0, 2, 1, 3] });
  }

  /** Rotary positions: x cos + rotate_half(x) sin. */
  #rotate(path: string, input: string, { cos, sin }: Rotation): string {
    const builder = this.#builder;
    const half = builder.int64([this.#shape.headDim / 2]);
    const axis = builder.int64([3]);
    const end = builder.int64([INT64_MAX]);
    const first = builder.node(`${path}/Slice_first`, 'Slice', [input, builder.int64([0]), half, axis]);
    const second = builder.node(`${path}/Slice_second`, 'Slice', [input, half, end, axis]);
    const negated = builder.node(`${path}/Neg`, 'Neg', [second]);
    const turned = builder.node(`${path}/Concat`, 'Concat', [negated, first], { axis: -1 });
    const straight = builder.node(`${path}/Mul_cos`, 'Mul', [input, cos]);
    const crossed = builder.node(`${path}/Mul_sin`, 'Mul', [turned, sin]);
    return builder.node(`${path}/Add`, 'Add', [straight, crossed]);
  }

  /** One copy of each key or value head for every query head that shares it. */
  #repeat(path: string, input: string, { grouped, flat }: Expansion): string {
    if (this.#shape.heads === this.#shape.kvHeads) return input;
    const builder = this.#builder;
    const unsqueezed = builder.node(`${path}/Unsqueeze`, 'Unsqueeze', [input, builder.int64([2])]);
    const expanded = builder.node(`${path}/Expand`, 'Expand', [unsqueezed, grouped]);
    return builder.node(`${path}/Reshape`, 'Reshape', [expanded, flat]);
  }

  #norm(path: string, weight: string, input: string): string {
    const builder = this.#builder;
    const square = builder.node(`${path}/Pow`, 'Pow', [input, builder.float32('two', [1], [2])]);
    const mean = builder.node(`${path}/ReduceMean`, 'ReduceMean', [square], { axes: [-1], keepdims: 1 });
    const epsilon = builder.float32('rms_norm_eps', [1], [this.#shape.rmsNormEps]);
    const lifted = builder.node(`${path}/Add`, 'Add', [mean, epsilon]);
    const root = builder.node(`${path}/Sqrt`, 'Sqrt', [lifted]);
    const normed = builder.node(`${path}/Div`, 'Div', [input, root]);
    return builder.node(`${path}/Mul`, 'Mul', [weight, normed]);
  }

  #head(hidden: string): void {
    const builder = this.#builder;
    const matrix = this.#shape.tiedHead
      ? builder.node('/lm_head/Transpose', 'Transpose', ['model.embed_tokens.weight'], { perm: [1, 0] })
      : 'lm_head.weight';
    builder.node('/lm_head/MatMul', 'MatMul', [hidden, matrix], {}, 'logits');
  }
}

/** The angle per position of each pair of a head's dimensions. */
function rotaryFrequencies(rope: RopeShape, headDim: number): number[] {
  return Array.from({ length: headDim / 2 }, (_, pair) => scaledFrequency(rope, rope.theta ** ((-2 * pair) / headDim)));
}

function scaledFrequency(rope: RopeShape, frequency: number): number {
  if (rope.kind === 'default') return frequency;
  if (rope.kind === 'linear') return frequency / rope.factor;
  // As in the llama3 rope type of Hugging Face's transformers.
  const turns = (rope.originalPositions * frequency) / (2 * Math.PI);
  const smooth = (turns - rope.lowFrequencyFactor) / (rope.highFrequencyFactor - rope.lowFrequencyFactor);
  const kept = Math.min(1, Math.max(0, smooth));
  return (1 - kept) * (frequency / rope.factor) + kept * frequency;
}
