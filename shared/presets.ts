/**
 * Shapes that can be synthesized by name. The figures are those of the models' published config.json files; no weights
 * and no vocabulary come with them. To add one: its shape fields, and the ids of the tokens that end a text, open a turn
 * and close it.
 */
export interface Preset {
  /** For the command line: lower case, no spaces. */
  name: string;
  /** For people. */
  title: string;
  description: string;
  /** As in a Hugging Face config.json. */
  config: Readonly<Record<string, unknown>>;
  special: SpecialTokens;
}

/** Ids of the special tokens of the ChatML format. */
export interface SpecialTokens {
  endOfText: number;
  turnStart: number;
  turnEnd: number;
}

const QWEN_SPECIAL: SpecialTokens = { endOfText: 151643, turnStart: 151644, turnEnd: 151645 };

export const PRESETS: readonly Preset[] = [
  {
    name: 'tiny',
    title: 'Tiny',
    description: 'Three layers of the Qwen2 architecture. Written in a moment, for tests and for trying things out.',
    config: {
      architectures: ['Qwen2ForCausalLM'],
      model_type: 'qwen2',
      hidden_act: 'silu',
      hidden_size: 64,
      intermediate_size: 128,
      max_position_embeddings: 2048,
      num_attention_heads: 8,
      num_hidden_layers: 3,
      num_key_value_heads: 2,
      rms_norm_eps: 1e-6,
      rope_theta: 10_000,
      tie_word_embeddings: true,
      vocab_size: 1536,
    },
    special: { endOfText: 1533, turnStart: 1534, turnEnd: 1535 },
  },
  {
    name: 'smollm2-135m',
    title: 'SmolLM2 135M',
    description: 'A small Llama shape: many thin layers.',
    config: {
      architectures: ['LlamaForCausalLM'],
      model_type: 'llama',
      attention_bias: false,
      hidden_act: 'silu',
      hidden_size: 576,
      intermediate_size: 1536,
      max_position_embeddings: 8192,
      mlp_bias: false,
      num_attention_heads: 9,
      num_hidden_layers: 30,
      num_key_value_heads: 3,
      rms_norm_eps: 1e-5,
      rope_interleaved: false,
      rope_scaling: null,
      rope_theta: 100_000,
      tie_word_embeddings: true,
      vocab_size: 49_152,
    },
    special: { endOfText: 0, turnStart: 1, turnEnd: 2 },
  },
  {
    name: 'qwen2.5-0.5b',
    title: 'Qwen2.5 0.5B',
    description: 'The shape of the reference record: a large vocabulary on a small hidden state.',
    config: {
      architectures: ['Qwen2ForCausalLM'],
      model_type: 'qwen2',
      hidden_act: 'silu',
      hidden_size: 896,
      intermediate_size: 4864,
      max_position_embeddings: 32_768,
      max_window_layers: 21,
      num_attention_heads: 14,
      num_hidden_layers: 24,
      num_key_value_heads: 2,
      rms_norm_eps: 1e-6,
      rope_theta: 1_000_000,
      sliding_window: 32_768,
      tie_word_embeddings: true,
      use_sliding_window: false,
      vocab_size: 151_936,
    },
    special: QWEN_SPECIAL,
  },
  {
    name: 'qwen3-0.6b',
    title: 'Qwen3 0.6B',
    description: 'Norms on queries and keys, and a KV cache more than nine times that of Qwen2.5 0.5B.',
    config: {
      architectures: ['Qwen3ForCausalLM'],
      model_type: 'qwen3',
      attention_bias: false,
      head_dim: 128,
      hidden_act: 'silu',
      hidden_size: 1024,
      intermediate_size: 3072,
      max_position_embeddings: 40_960,
      max_window_layers: 28,
      num_attention_heads: 16,
      num_hidden_layers: 28,
      num_key_value_heads: 8,
      rms_norm_eps: 1e-6,
      rope_scaling: null,
      rope_theta: 1_000_000,
      sliding_window: null,
      tie_word_embeddings: true,
      use_sliding_window: false,
      vocab_size: 151_936,
    },
    special: QWEN_SPECIAL,
  },
  {
    name: 'llama-3.2-1b',
    title: 'Llama 3.2 1B',
    description: 'Few wide layers and long contexts with scaled rotary positions.',
    config: {
      architectures: ['LlamaForCausalLM'],
      model_type: 'llama',
      attention_bias: false,
      head_dim: 64,
      hidden_act: 'silu',
      hidden_size: 2048,
      intermediate_size: 8192,
      max_position_embeddings: 131_072,
      mlp_bias: false,
      num_attention_heads: 32,
      num_hidden_layers: 16,
      num_key_value_heads: 8,
      rms_norm_eps: 1e-5,
      rope_scaling: {
        factor: 32,
        high_freq_factor: 4,
        low_freq_factor: 1,
        original_max_position_embeddings: 8192,
        rope_type: 'llama3',
      },
      rope_theta: 500_000,
      tie_word_embeddings: true,
      vocab_size: 128_256,
    },
    special: { endOfText: 128_001, turnStart: 128_006, turnEnd: 128_009 },
  },
];

export function presetNamed(name: string): Preset | undefined {
  return PRESETS.find((preset) => preset.name === name);
}
