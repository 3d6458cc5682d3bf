import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LoadedModel } from '../../../../main/inference/decoder.ts';
import { loadModel } from '../../../../main/inference/load-model.ts';
import { synthesize } from '../../../../main/inference/synthesize.ts';
import { findModel } from '../../../../main/model-folder.ts';
import { presetNamed } from '../../../../shared/presets.ts';
import { LONG_PROMPT, SHORT_PROMPT } from '../../../../shared/standard-suite.ts';
import { DEMO_FOLDER, request, sampleOf } from '../../../support/demo.ts';

const tiny = presetNamed('tiny')?.config;
/** Small shapes of every architecture that can be written. */
const SHAPES: readonly [name: string, config: Record<string, unknown>][] = [
  ['qwen2', { ...tiny }],
  ['llama', { ...tiny, model_type: 'llama', tie_word_embeddings: false, num_hidden_layers: 4, vocab_size: 2000 }],
  [
    'llama with scaled positions',
    {
      ...tiny,
      model_type: 'llama',
      rope_scaling: {
        rope_type: 'llama3',
        factor: 8,
        low_freq_factor: 1,
        high_freq_factor: 4,
        original_max_position_embeddings: 512,
      },
    },
  ],
  ['mistral', { ...tiny, model_type: 'mistral', sliding_window: null, num_key_value_heads: 8 }],
  ['qwen3', { ...tiny, model_type: 'qwen3', head_dim: 16, num_hidden_layers: 6, vocab_size: 4096 }],
];
const PROMPTS = [SHORT_PROMPT, LONG_PROMPT, 'hi', 'Count: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1'];

describe.each(SHAPES)('greedy output of %s varies', (_, config) => {
  const scratch = mkdtempSync(join(tmpdir(), 'tokenscope-'));
  const models: LoadedModel[] = [];
  beforeAll(async () => {
    writeFileSync(join(scratch, 'config.json'), JSON.stringify({ ...config, eos_token_id: 1535, pad_token_id: 1533 }));
    for (const seed of [1, 2, 3]) {
      const out = join(scratch, String(seed));
      const path = join(scratch, 'config.json');
      await synthesize({ preset: null, config: path, out, seed, force: false, tokenizer_from: DEMO_FOLDER });
      models.push((await loadModel(await findModel(out), { threads: 1 })).model);
    }
  });
  afterAll(async () => {
    for (const model of models) await model.session.release();
    rmSync(scratch, { recursive: true, force: true });
  });

  test.each(PROMPTS)('%.40s', async (prompt) => {
    for (const model of models) {
      // Ends of text are as likely as any other token here: not what is looked at.
      const endless = { ...model, eosTokenIds: new Set<number>() };
      const { generated_token_ids: ids } = await sampleOf(endless, request(prompt, { max_new_tokens: 64 }));
      expect(ids).toHaveLength(64);
      expect(new Set(ids).size).toBeGreaterThan(40);
      expect(cycleAtEnd(ids)).toBeNull();
    }
  });

  test('and does not hang on how the prompt is evaluated', async () => {
    for (const model of models) {
      const ids = async (change: object) =>
        (await sampleOf(model, request(SHORT_PROMPT, { max_new_tokens: 12, ...change }))).generated_token_ids;
      const plain = await ids({});
      expect(await ids({ chunk_size: 5 })).toEqual(plain);
      expect(await ids({ use_cache: false })).toEqual(plain);
      expect(await ids({ logits: 'all' })).toEqual(plain);
    }
  });
});

test('its card and its settings agree with the shape', async () => {
  const out = join(mkdtempSync(join(tmpdir(), 'tokenscope-')), 'm');
  await synthesize({ preset: 'tiny', config: null, out, seed: 3, force: false, tokenizer_from: DEMO_FOLDER });
  expect(readFileSync(join(out, 'README.md'), 'utf8')).toContain('| KV cache | 384 bytes per token |');
  rmSync(join(out, '..'), { recursive: true, force: true });
});

/** The length below 8 of a cycle that fills the last three turns of it, or null. */
function cycleAtEnd(ids: readonly number[]): number | null {
  for (let length = 1; length < 8; length += 1) {
    const tail = ids.slice(-3 * length);
    if (tail.every((id, index) => id === tail[index % length])) return length;
  }
  return null;
}
