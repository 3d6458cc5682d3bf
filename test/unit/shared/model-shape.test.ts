import { describe, expect, test } from 'vitest';
import { parameterCount, shapeOfConfig } from '../../../shared/model-shape.ts';
import { PRESETS, presetNamed } from '../../../shared/presets.ts';

const tiny = presetNamed('tiny')?.config;

describe('presets', () => {
  // As the models' cards and safetensors indexes state them.
  test.each([
    ['tiny', 203_488],
    ['smollm2-135m', 134_515_008],
    ['qwen2.5-0.5b', 494_032_768],
    ['qwen3-0.6b', 596_049_920],
    ['llama-3.2-1b', 1_235_814_400],
  ])('%s has the parameters of its model', (name, parameters) => {
    expect(parameterCount(shapeOfConfig(presetNamed(name)?.config))).toBe(parameters);
  });

  test('have names of their own, and special tokens inside their vocabularies', () => {
    expect(new Set(PRESETS.map(({ name }) => name)).size).toBe(PRESETS.length);
    for (const { config, special } of PRESETS) {
      const ids = Object.values(special);
      expect(new Set(ids).size).toBe(3);
      expect(ids.every((id) => id >= 0 && id < Number(config['vocab_size']))).toBe(true);
    }
  });
});

describe('a configuration', () => {
  test('has defaults where Hugging Face has them', () => {
    const { num_key_value_heads: _, tie_word_embeddings: __, rope_theta: ___, ...least } = { ...tiny };
    expect(shapeOfConfig(least)).toMatchObject({
      kvHeads: 8,
      headDim: 8,
      tiedHead: false,
      rope: { kind: 'default', theta: 10_000 },
    });
  });

  test('may keep its rotary positions in rope_parameters', () => {
    const { rope_theta: _, ...rest } = { ...tiny };
    expect(shapeOfConfig({ ...rest, rope_parameters: { rope_type: 'default', rope_theta: 5e5 } }).rope).toEqual({
      kind: 'default',
      theta: 5e5,
    });
  });

  test.each<[Record<string, unknown>, string]>([
    [{ model_type: 'gemma3' }, 'model_type is "gemma3" (shapes of qwen2, llama, mistral, qwen3 can be written)'],
    [
      { model_type: 'mistral', sliding_window: 4096 },
      'sliding_window is 4096, which a synthesized graph does not have',
    ],
    [{ use_sliding_window: true }, 'use_sliding_window is true, which a synthesized graph does not have'],
    [{ model_type: 'llama', attention_bias: true }, 'attention_bias is true, which a synthesized graph does not have'],
    [{ mlp_bias: true }, 'mlp_bias is true, which a synthesized graph does not have'],
    [{ num_local_experts: 8 }, 'num_local_experts is 8, which a synthesized graph does not have'],
    [{ partial_rotary_factor: 0.5 }, 'partial_rotary_factor is 0.5, which a synthesized graph does not have'],
    [{ hidden_act: 'gelu' }, 'hidden_act is "gelu", only silu is supported'],
    [
      { rope_scaling: { type: 'yarn', factor: 4 } },
      'the rope scaling is "yarn"; default, linear and llama3 are supported',
    ],
    [{ rope_scaling: { rope_type: 'llama3', factor: 4 } }, 'the rope scaling "llama3" has no low_freq_factor'],
    [{ hidden_size: 66 }, 'hidden_size 66 is not a multiple of the 8 heads'],
    [{ hidden_size: 72 }, 'the head size 9 is odd, rotary positions need pairs'],
    [{ num_key_value_heads: 3 }, 'num_attention_heads 8 is not a multiple of num_key_value_heads 3'],
    [{ num_hidden_layers: 0 }, 'num_hidden_layers: Too small: expected number to be >0'],
    [{ num_hidden_layers: 1e6 }, 'num_hidden_layers: Too big: expected number to be <=1000'],
    [{ vocab_size: '1536' }, 'vocab_size: Invalid input: expected number, received string'],
  ])('with %j is refused by name', (change, line) => {
    expect(() => shapeOfConfig({ ...tiny, ...change }, 'config.json')).toThrow(
      expect.objectContaining({ code: 'model', line: `config.json: ${line}` }),
    );
  });

  test.each([null, undefined, 3, 'x', []])('of %j is refused', (value) => {
    expect(() => shapeOfConfig(value)).toThrow(expect.objectContaining({ code: 'model' }));
  });
});
