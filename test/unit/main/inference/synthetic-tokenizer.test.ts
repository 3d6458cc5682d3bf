import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AutoTokenizer, env } from '@huggingface/transformers';
import { describe, expect, test } from 'vitest';
import { specialTokensOf } from '../../../../main/inference/special-tokens.ts';
import { readBaseTokenizer, syntheticTokenizer } from '../../../../main/inference/synthetic-tokenizer.ts';
import { PRESETS } from '../../../../shared/presets.ts';
import { DEMO_FOLDER } from '../../../support/demo.ts';

env.allowRemoteModels = false;

const base = await readBaseTokenizer(DEMO_FOLDER);
const demo = await AutoTokenizer.from_pretrained(DEMO_FOLDER, { local_files_only: true });
const TEXTS = ['Explain a cache in one sentence.', 'Ünïcödé 🚀 שלום\n\t{"a": 1}', '  x  ', ' ravolen drainoulam'];

describe.each(PRESETS.map((preset) => [preset.name, preset] as const))(
  'the tokenizer of %s',
  (_, { config, special }) => {
    const size = Number(config['vocab_size']);
    const files = syntheticTokenizer(base, size, special, 2048, 1);

    test('has one token for every id', () => {
      const { vocab } = Object(files.tokenizer['model']);
      const ids = [...Object.values<number>(vocab), special.endOfText, special.turnStart, special.turnEnd];
      expect(ids).toHaveLength(size);
      expect(new Set(ids).size).toBe(size);
      expect(Math.max(...new Set(ids.map((id) => Math.floor(id / 1000))))).toBe(Math.floor((size - 1) / 1000));
      expect(Math.min(...ids.slice(0, 10))).toBeGreaterThanOrEqual(0);
    });

    test('loads, and reads and writes texts as the base does', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'tokenscope-'));
      writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(files.tokenizer));
      writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify(files.config));
      const tokenizer = await AutoTokenizer.from_pretrained(folder, { local_files_only: true });
      rmSync(folder, { recursive: true, force: true });
      for (const text of TEXTS) {
        const ids = tokenizer.encode(text);
        expect(ids).toHaveLength(demo.encode(text).length);
        expect(tokenizer.decode(ids)).toBe(demo.decode(demo.encode(text)));
        expect(ids.every((id) => id < size)).toBe(true);
      }
      const chat = tokenizer.apply_chat_template([{ role: 'user', content: 'hi' }], {
        tokenize: false,
        add_generation_prompt: true,
      });
      expect(chat).toMatch(/<\|im_start\|>user\nhi<\|im_end\|>\n<\|im_start\|>assistant\n$/);
      const ids = tokenizer.encode(chat);
      expect(ids.filter((id) => id === special.turnStart)).toHaveLength(3);
      expect(ids.filter((id) => id === special.turnEnd)).toHaveLength(2);
      expect(tokenizer.eos_token_id).toBe(special.turnEnd);
      expect(tokenizer.pad_token_id).toBe(special.endOfText);
      // Every id has a text that can be watched, each with a space in front.
      const filler = [size - 1, size - 2, Math.floor(size / 2), 2000].filter(
        (id) => id > 1600 && id < size && !Object.values(special).includes(id),
      );
      for (const id of filler) expect(tokenizer.decode([id])).toMatch(/^ [a-z]{4,20}[,.?]?$/);
    });
  },
);

test('words are the same for the same seed, and others for another', () => {
  const word = (seed: number) => {
    const files = syntheticTokenizer(base, 2000, { endOfText: 1997, turnStart: 1998, turnEnd: 1999 }, 64, seed);
    return JSON.stringify(files.tokenizer);
  };
  expect(word(1)).toBe(word(1));
  expect(word(1)).not.toBe(word(2));
});

describe('special tokens get the ids that a configuration names', () => {
  test.each([
    [
      { eos_token_id: 2, bos_token_id: 1, pad_token_id: 2 },
      { turnEnd: 2, endOfText: 1, turnStart: 99 },
    ],
    [
      { eos_token_id: 2, bos_token_id: 1, pad_token_id: 0 },
      { turnEnd: 2, endOfText: 0, turnStart: 1 },
    ],
    [
      { eos_token_id: [45, 43], bos_token_id: 43 },
      { turnEnd: 45, endOfText: 43, turnStart: 99 },
    ],
    [{}, { turnEnd: 99, endOfText: 98, turnStart: 97 }],
    [
      { eos_token_id: 99, bos_token_id: null, pad_token_id: -1 },
      { turnEnd: 99, endOfText: 98, turnStart: 97 },
    ],
    [{ eos_token_id: 5000 }, { turnEnd: 99, endOfText: 98, turnStart: 97 }],
  ])('%j', (config, expected) => {
    expect(specialTokensOf(config, 100, 'config.json')).toEqual(expected);
  });
});
