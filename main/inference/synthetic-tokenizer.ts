import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { messageOf, TokenscopeError } from '../../shared/errors.ts';
import type { SpecialTokens } from '../../shared/presets.ts';
import { SeededRandom } from './seeded-random.ts';

/** A byte-level BPE tokenizer in Hugging Face's format whose vocabulary can be filled up. */
export interface BaseTokenizer {
  readonly tokenizer: z.infer<typeof tokenizerSchema>;
  readonly config: z.infer<typeof tokenizerConfigSchema>;
}

const addedTokenSchema = z.looseObject({ id: z.int(), content: z.string() });
const tokenizerSchema = z.looseObject({
  added_tokens: z.array(addedTokenSchema),
  model: z.looseObject({ type: z.literal('BPE'), vocab: z.record(z.string(), z.int().nonnegative()) }),
});
const tokenizerConfigSchema = z.looseObject({ chat_template: z.string() });

/** The names that the special tokens have in the base tokenizer and its chat template. */
const SPECIAL_NAMES: Readonly<Record<keyof SpecialTokens, string>> = {
  endOfText: '<|endoftext|>',
  turnStart: '<|im_start|>',
  turnEnd: '<|im_end|>',
};

/** Reads the tokenizer of `folder` as a base. Throws a `model` error that names the file and what is wrong. */
export async function readBaseTokenizer(folder: string): Promise<BaseTokenizer> {
  return {
    tokenizer: await readJson(join(folder, 'tokenizer.json'), tokenizerSchema),
    config: await readJson(join(folder, 'tokenizer_config.json'), tokenizerConfigSchema),
  };
}

async function readJson<T>(path: string, schema: z.ZodType<T>): Promise<T> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    throw new TokenscopeError('model', `cannot serve as a base tokenizer: ${messageOf(cause)}`, { path, cause });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new TokenscopeError('model', `cannot serve as a base tokenizer: ${issue?.path.join('.')}: ${issue?.message}`, {
    path,
  });
}

/** The contents of tokenizer.json, tokenizer_config.json and special_tokens_map.json. */
export interface TokenizerFiles {
  readonly tokenizer: Readonly<Record<string, unknown>>;
  readonly config: Readonly<Record<string, unknown>>;
  readonly specialTokensMap: Readonly<Record<string, unknown>>;
}

/** The fewest entries a vocabulary can have: those of the base tokenizer, which any text needs. */
export function leastVocabulary(base: BaseTokenizer): number {
  return Object.keys(base.tokenizer.model.vocab).length + Object.keys(SPECIAL_NAMES).length;
}

/**
 * Builds a tokenizer with exactly `size` tokens. Texts are tokenized as the base tokenizer does. The ids that it does not
 * use get words of no language, no two alike, so that what a random model generates can be read.
 */
export function syntheticTokenizer(
  base: BaseTokenizer,
  size: number,
  special: SpecialTokens,
  maxPositions: number,
  seed: number,
): TokenizerFiles {
  const reserved = new Set(Object.values(special));
  const entries = Object.entries(base.tokenizer.model.vocab).sort(([, a], [, b]) => a - b);
  const vocab: Record<string, number> = {};
  const words = new PseudoWords(seed, new Set(entries.map(([token]) => token)));
  let next = 0;
  for (let id = 0; id < size; id += 1) {
    if (reserved.has(id)) continue;
    const token = entries[next]?.[0] ?? words.next();
    next += 1;
    vocab[token] = id;
  }
  const added = (['endOfText', 'turnStart', 'turnEnd'] as const)
    .map((role) => ({ id: special[role], ...addedToken(SPECIAL_NAMES[role]), special: true }))
    .sort((a, b) => a.id - b.id);
  return {
    tokenizer: { ...base.tokenizer, added_tokens: added, model: { ...base.tokenizer.model, vocab } },
    config: {
      ...base.config,
      added_tokens_decoder: Object.fromEntries(added.map(({ id, ...token }) => [String(id), token])),
      model_max_length: maxPositions,
    },
    specialTokensMap: {
      additional_special_tokens: [SPECIAL_NAMES.turnStart, SPECIAL_NAMES.turnEnd],
      eos_token: addedToken(SPECIAL_NAMES.turnEnd),
      pad_token: addedToken(SPECIAL_NAMES.endOfText),
    },
  };
}

function addedToken(content: string) {
  return { content, single_word: false, lstrip: false, rstrip: false, normalized: false };
}

const ONSETS = [
  'b',
  'br',
  'd',
  'dr',
  'f',
  'g',
  'gr',
  'h',
  'k',
  'kl',
  'l',
  'm',
  'n',
  'p',
  'pl',
  'r',
  's',
  'st',
  't',
  'tr',
  'v',
  'z',
];
const VOWELS = ['a', 'e', 'i', 'o', 'u', 'ai', 'ea', 'ou'];
const CODAS = ['', '', '', 'l', 'm', 'n', 'r', 's', 'th', 'x'];
const ENDINGS = [',', '.', '?'];
/** One word in this many ends a clause. */
const ENDING_EVERY = 8;
/** How byte-level BPE writes a leading space. */
const SPACE = 'Ġ';

/** Pronounceable words, each with a space in front. */
class PseudoWords {
  readonly #random: SeededRandom;
  readonly #taken: Set<string>;

  constructor(seed: number, taken: Set<string>) {
    this.#random = new SeededRandom(seed, 'vocabulary');
    this.#taken = taken;
  }

  next(): string {
    for (;;) {
      // Some 600 million words of up to three syllables exist, so a free one is soon found.
      const syllables = 2 + this.#random.below(2);
      let word = SPACE;
      for (let index = 0; index < syllables; index += 1) word += this.#pick(ONSETS) + this.#pick(VOWELS);
      word += this.#pick(CODAS);
      if (this.#random.below(ENDING_EVERY) === 0) word += this.#pick(ENDINGS);
      if (!this.#taken.has(word)) {
        this.#taken.add(word);
        return word;
      }
    }
  }

  #pick(choices: readonly string[]): string {
    return choices[this.#random.below(choices.length)] ?? '';
  }
}
