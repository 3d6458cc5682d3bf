import { z } from 'zod';
import { TokenscopeError } from './errors.ts';

/** The shape of a decoder: all that is needed to write its graph with weights of our own. */
export interface ModelShape {
  architecture: 'qwen2' | 'llama' | 'mistral' | 'qwen3';
  hiddenSize: number;
  layers: number;
  heads: number;
  kvHeads: number;
  headDim: number;
  intermediateSize: number;
  vocabularySize: number;
  maxPositions: number;
  rmsNormEps: number;
  rope: RopeShape;
  /** The head uses the table of token embeddings. */
  tiedHead: boolean;
  /** Biases on the query, key and value projections. */
  qkvBias: boolean;
  /** Norms on each head's queries and keys. */
  qkNorm: boolean;
}

export type RopeShape =
  | { kind: 'default'; theta: number }
  | { kind: 'linear'; theta: number; factor: number }
  /** Llama 3's: slow frequencies are divided by `factor`, fast ones kept, those between interpolated. */
  | {
      kind: 'llama3';
      theta: number;
      factor: number;
      lowFrequencyFactor: number;
      highFrequencyFactor: number;
      originalPositions: number;
    };

const size = z.int().positive().max(10_000_000);
const ratio = z.number().positive();
const ropeSchema = z.looseObject({
  rope_type: z.string().optional(),
  type: z.string().optional(),
  rope_theta: ratio.optional(),
  factor: ratio.optional(),
  low_freq_factor: ratio.optional(),
  high_freq_factor: ratio.optional(),
  original_max_position_embeddings: size.optional(),
  partial_rotary_factor: z.number().optional(),
});
/** The fields of config.json that decide a shape. */
const shapeConfigSchema = z.looseObject({
  model_type: z.string(),
  hidden_size: size,
  num_hidden_layers: size.max(1000),
  num_attention_heads: size,
  num_key_value_heads: size.nullish(),
  head_dim: size.nullish(),
  intermediate_size: size,
  vocab_size: size,
  max_position_embeddings: size,
  rms_norm_eps: ratio.default(1e-6),
  rope_theta: ratio.nullish(),
  rope_scaling: ropeSchema.nullish(),
  rope_parameters: ropeSchema.nullish(),
  tie_word_embeddings: z.boolean().default(false),
  hidden_act: z.string().default('silu'),
});
type ShapeConfig = z.infer<typeof shapeConfigSchema>;

const ARCHITECTURES = ['qwen2', 'llama', 'mistral', 'qwen3'] as const;

/** Features that our graph does not have, by the field that turns them on, and the values that leave them off. */
const UNSUPPORTED: readonly (readonly [field: string, off: readonly unknown[]])[] = [
  ['attention_bias', [false]],
  ['mlp_bias', [false]],
  ['use_sliding_window', [false]],
  ['partial_rotary_factor', [1]],
  ['rope_interleaved', [false]],
  ['no_rope_layers', [[]]],
  ['num_experts', [0, 1]],
  ['num_local_experts', [0, 1]],
  ['attn_logit_softcapping', []],
  ['final_logit_softcapping', []],
  ['logit_scale', [1]],
  ['embedding_multiplier', [1]],
  ['residual_multiplier', [1]],
  ['is_encoder_decoder', [false]],
  ['vision_config', []],
  ['text_config', []],
];

/**
 * Reads the shape from the content of a Hugging Face config.json of the architectures qwen2, llama, mistral and qwen3.
 * Throws a `model` error that names the field which is missing, out of bounds or turns on what our graph does not have.
 */
export function shapeOfConfig(value: unknown, path?: string): ModelShape {
  const refuse = (reason: string, remedy?: string) =>
    new TokenscopeError('model', reason, {
      ...(path === undefined ? {} : { path }),
      ...(remedy === undefined ? {} : { remedy }),
    });
  const parsed = shapeConfigSchema.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const field = issue?.path.join('.') ?? '';
    throw refuse(`${field === '' ? 'the configuration' : field}: ${issue?.message ?? 'is not valid'}`);
  }
  const config = parsed.data;
  const architecture = ARCHITECTURES.find((name) => name === config.model_type);
  if (architecture === undefined) {
    throw refuse(`model_type is "${config.model_type}"`, `shapes of ${ARCHITECTURES.join(', ')} can be written`);
  }
  for (const [field, off] of UNSUPPORTED) {
    const setting = config[field];
    const isOff = setting === undefined || setting === null || off.some((value) => same(value, setting));
    if (!isOff) throw refuse(`${field} is ${JSON.stringify(setting)}, which a synthesized graph does not have`);
  }
  if (architecture === 'mistral' && typeof config['sliding_window'] === 'number') {
    throw refuse(`sliding_window is ${config['sliding_window']}, which a synthesized graph does not have`);
  }
  if (config.hidden_act !== 'silu') throw refuse(`hidden_act is "${config.hidden_act}", only silu is supported`);

  const heads = config.num_attention_heads;
  const kvHeads = config.num_key_value_heads ?? heads;
  const headDim = config.head_dim ?? config.hidden_size / heads;
  if (!Number.isInteger(headDim))
    throw refuse(`hidden_size ${config.hidden_size} is not a multiple of the ${heads} heads`);
  if (headDim % 2 !== 0) throw refuse(`the head size ${headDim} is odd, rotary positions need pairs`);
  if (heads % kvHeads !== 0)
    throw refuse(`num_attention_heads ${heads} is not a multiple of num_key_value_heads ${kvHeads}`);
  return {
    architecture,
    hiddenSize: config.hidden_size,
    layers: config.num_hidden_layers,
    heads,
    kvHeads,
    headDim,
    intermediateSize: config.intermediate_size,
    vocabularySize: config.vocab_size,
    maxPositions: config.max_position_embeddings,
    rmsNormEps: config.rms_norm_eps,
    rope: ropeOf(config, refuse),
    tiedHead: config.tie_word_embeddings,
    qkvBias: architecture === 'qwen2',
    qkNorm: architecture === 'qwen3',
  };
}

function ropeOf(config: ShapeConfig, refuse: (reason: string) => TokenscopeError): RopeShape {
  // Newer configurations keep everything about rotary positions in rope_parameters.
  const scaling = config.rope_scaling ?? config.rope_parameters;
  const theta = config.rope_theta ?? config.rope_parameters?.rope_theta ?? 10_000;
  const kind = scaling?.rope_type ?? scaling?.type ?? 'default';
  const field = (name: 'factor' | 'low_freq_factor' | 'high_freq_factor' | 'original_max_position_embeddings') => {
    const value = scaling?.[name];
    if (value === undefined) throw refuse(`the rope scaling "${kind}" has no ${name}`);
    return value;
  };
  if (scaling?.partial_rotary_factor !== undefined && scaling.partial_rotary_factor !== 1) {
    throw refuse(`partial_rotary_factor is ${scaling.partial_rotary_factor}, which a synthesized graph does not have`);
  }
  switch (kind) {
    case 'default':
      return { kind, theta };
    case 'linear':
      return { kind, theta, factor: field('factor') };
    case 'llama3':
      return {
        kind,
        theta,
        factor: field('factor'),
        lowFrequencyFactor: field('low_freq_factor'),
        highFrequencyFactor: field('high_freq_factor'),
        originalPositions: field('original_max_position_embeddings'),
      };
    default:
      throw refuse(`the rope scaling is "${kind}"; default, linear and llama3 are supported`);
  }
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The number of weights of a model of this shape; a tied head has none of its own. */
export function parameterCount(shape: ModelShape): number {
  const { hiddenSize, headDim, heads, kvHeads, intermediateSize, vocabularySize } = shape;
  const queries = heads * headDim;
  const keys = kvHeads * headDim;
  const attention = hiddenSize * (queries + 2 * keys) + queries * hiddenSize;
  const biases = shape.qkvBias ? queries + 2 * keys : 0;
  const headNorms = shape.qkNorm ? 2 * headDim : 0;
  const layer = attention + biases + headNorms + 3 * hiddenSize * intermediateSize + 2 * hiddenSize;
  return vocabularySize * hiddenSize * (shape.tiedHead ? 1 : 2) + shape.layers * layer + hiddenSize;
}
