/** A character of UTF-8 spans at most four bytes, so at most four tokens; more held tokens are not one character. */
const LONGEST_HOLD = 4;

/**
 * The text that each token adds, one token at a time. A token may hold part of a character only: its text is then empty
 * and the token that completes the character carries it. Joined, the pieces are the text of the whole reply.
 *
 * Decoding starts a few tokens back, at the last point where the text was whole, because a tokenizer may render a token
 * differently at the start of a text (a leading space, for one). This keeps the work per token constant.
 */
export class Detokenizer {
  readonly #decode: (ids: readonly number[]) => string;
  readonly #ids: number[] = [];
  /** Where decoding starts, and up to where the text has been handed out. */
  #start = 0;
  #read = 0;

  constructor(decode: (ids: readonly number[]) => string) {
    this.#decode = decode;
  }

  /** The text that this token adds; `last` hands out whatever is left, whole or not. */
  add(id: number, last = false): string {
    this.#ids.push(id);
    const before = this.#decode(this.#ids.slice(this.#start, this.#read));
    const after = this.#decode(this.#ids.slice(this.#start));
    const held = this.#ids.length - this.#read;
    if (after.endsWith('\uFFFD') && held < LONGEST_HOLD && !last) return '';
    this.#start = this.#read;
    this.#read = this.#ids.length;
    return after.slice(before.length);
  }
}

/** The texts of a finished reply, one a token. */
export function tokenTexts(decode: (ids: readonly number[]) => string, ids: readonly number[]): string[] {
  const detokenizer = new Detokenizer(decode);
  return ids.map((id, index) => detokenizer.add(id, index === ids.length - 1));
}
