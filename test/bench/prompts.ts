import type { Tokenizer } from '../../main/inference/tokenizer.ts';

const WORDS = 'A retrieval service indexes source code and returns relevant functions'.split(' ');

/** A prompt of exactly so many tokens under this model's own template and tokenizer: words, then letters to fill up. */
export function promptOf(tokenizer: Tokenizer, tokens: number): string {
  let text = 'Explain';
  const count = (candidate: string) => tokenizer.encodePrompt(candidate).length;
  for (let word = 0; ; word++) {
    const longer = `${text} ${WORDS[word % WORDS.length]}`;
    if (count(longer) > tokens) break;
    text = longer;
  }
  while (count(text) < tokens) text += ' a';
  if (count(text) !== tokens) throw new Error(`no prompt of ${tokens} tokens found`);
  return text;
}
