import type { ModelShape } from '../../shared/model-shape.ts';
import type { SeededRandom } from './seeded-random.ts';

/** One weight of a decoder, and how its random values are spread. */
export interface WeightSpec {
  /** As Hugging Face names it, without the file it lies in. */
  readonly name: string;
  /** Matrices are [in, out], as MatMul takes them; the table of embeddings is [vocabulary, hidden]. */
  readonly dims: readonly number[];
  readonly values: Spread;
}

type Spread =
  /** Evenly over center +- halfWidth. */
  | { readonly kind: 'even'; readonly center: number; readonly halfWidth: number }
  /** +1 or -1. */
  | { readonly kind: 'signs' };

/** Standard deviation of attention scores: sharp enough that a reply hangs on single tokens of its context. */
const SCORE_DEVIATION = 4;
/** Size of what a block adds to the residual stream, relative to a token's embedding. */
const ATTENTION_GAIN = 1;
const MLP_GAIN = 3;
/** Size of a block's values in front of its last matrix, where its inputs have size 1 (measured). */
const VALUE_SIZE = 0.6;

/**
 * All weights of a decoder. Spreads are chosen so that greedy output varies although nothing was learned:
 *
 * - the final norm has random signs. With a tied head, a token's own embedding would otherwise fit itself best, and the
 *   model would repeat its input for ever;
 * - blocks add more to the residual stream than the token itself, the nonlinear MLP most, and attend sharply: were the
 *   next token a function of the last one, it would soon run in a circle. With these figures 64 greedy tokens ended in
 *   none for 270 pairs of prompt and seed on the preset "tiny"; with gains of 0.5 and a deviation of 2, 34 of 135 did, on
 *   five small shapes. Shapes of a hidden size below 64 may still run in one;
 * - logits have size 1 at every depth, and evaluating a prompt token by token changes them by some 1e-5.
 */
export function decoderWeights(shape: ModelShape): WeightSpec[] {
  const { hiddenSize, intermediateSize, vocabularySize } = shape;
  const queries = shape.heads * shape.headDim;
  const keys = shape.kvHeads * shape.headDim;
  const unit = 1 / Math.sqrt(hiddenSize);
  const scoreFactor = Math.sqrt(SCORE_DEVIATION);
  const attentionSize = (unit * ATTENTION_GAIN) / VALUE_SIZE;
  const mlpSize = (unit * MLP_GAIN) / VALUE_SIZE;
  const qkFactor = shape.qkNorm ? 1 : scoreFactor;

  const weights: WeightSpec[] = [spread('model.embed_tokens.weight', [vocabularySize, hiddenSize], unit)];
  for (let layer = 0; layer < shape.layers; layer += 1) {
    const name = (part: string) => `model.layers.${layer}.${part}`;
    weights.push(norm(name('input_layernorm.weight'), hiddenSize, 1));
    const projections = [
      ['q_proj', queries, unit * qkFactor],
      ['k_proj', keys, unit * qkFactor],
      ['v_proj', keys, unit],
    ] as const;
    for (const [projection, size, deviation] of projections) {
      weights.push(spread(name(`self_attn.${projection}.weight`), [hiddenSize, size], deviation));
      if (shape.qkvBias) weights.push(spread(name(`self_attn.${projection}.bias`), [size], 0.1));
    }
    if (shape.qkNorm) {
      weights.push(norm(name('self_attn.q_norm.weight'), shape.headDim, scoreFactor));
      weights.push(norm(name('self_attn.k_norm.weight'), shape.headDim, scoreFactor));
    }
    weights.push(
      spread(name('self_attn.o_proj.weight'), [queries, hiddenSize], attentionSize / Math.sqrt(queries)),
      norm(name('post_attention_layernorm.weight'), hiddenSize, 1),
      spread(name('mlp.gate_proj.weight'), [hiddenSize, intermediateSize], unit),
      spread(name('mlp.up_proj.weight'), [hiddenSize, intermediateSize], unit),
      spread(name('mlp.down_proj.weight'), [intermediateSize, hiddenSize], mlpSize / Math.sqrt(intermediateSize)),
    );
  }
  weights.push({ name: 'model.norm.weight', dims: [hiddenSize], values: { kind: 'signs' } });
  if (!shape.tiedHead) weights.push(spread('lm_head.weight', [hiddenSize, vocabularySize], unit));
  return weights;
}

function spread(name: string, dims: readonly number[], deviation: number): WeightSpec {
  return { name, dims, values: { kind: 'even', center: 0, halfWidth: deviation * Math.sqrt(3) } };
}

function norm(name: string, size: number, center: number): WeightSpec {
  return { name, dims: [size], values: { kind: 'even', center, halfWidth: 0.2 * center } };
}

/** Elements of a weight. */
export function sizeOf(weight: WeightSpec): number {
  return weight.dims.reduce((product, dim) => product * dim, 1);
}

/** The next values of a weight, from its own sequence of random numbers. */
export function fillWeight(target: Float32Array, values: Spread, random: SeededRandom): void {
  if (values.kind === 'even') {
    random.fill(target, values.center, values.halfWidth);
    return;
  }
  for (let index = 0; index < target.length; index += 1) target[index] = random.unit() < 0.5 ? -1 : 1;
}
