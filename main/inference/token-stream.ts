import type { RunEvent, Stream } from '../../shared/messages.ts';
import type { Clock } from './clock.ts';
import { Detokenizer } from './detokenizer.ts';

/**
 * Tells a request's tokens in batches: a message for each would cost more than a small model's step. The text of a token
 * is worked out when its batch is posted, so a step in between pays nothing for it. Nothing is posted before the first
 * token is stamped, so that telling is no part of the wait, and nothing at all within the first `every_ms`.
 */
export class TokenStream {
  readonly #stream: Stream;
  readonly #clock: Clock;
  readonly #emit: (event: RunEvent) => void;
  readonly #detokenizer: Detokenizer;
  #first = 0;
  #ids: number[] = [];
  #atMs: number[] = [];
  #prompt: { tokens: number; tokenizationMs: number } | undefined;
  #postedAt: number;

  constructor(
    stream: Stream,
    clock: Clock,
    decode: (ids: readonly number[]) => string,
    emit: (event: RunEvent) => void,
  ) {
    this.#stream = stream;
    this.#clock = clock;
    this.#emit = emit;
    this.#detokenizer = new Detokenizer(decode);
    this.#postedAt = clock();
  }

  prompt(tokens: number, tokenizationMs: number): void {
    this.#prompt = { tokens, tokenizationMs };
  }

  add(id: number, atMs: number): void {
    this.#ids.push(id);
    this.#atMs.push(atMs);
    const now = this.#clock();
    if (now - this.#postedAt >= this.#stream.every_ms) this.flush(now);
  }

  flush(now = this.#clock()): void {
    if (this.#ids.length === 0) return;
    if (this.#prompt !== undefined) {
      this.#emit({
        type: 'prompt',
        prompt_tokens: this.#prompt.tokens,
        tokenization_ms: this.#prompt.tokenizationMs,
      });
      this.#prompt = undefined;
    }
    this.#emit({
      type: 'tokens',
      first: this.#first,
      ids: this.#ids,
      at_ms: this.#atMs,
      texts: this.#stream.texts ? this.#ids.map((id) => this.#detokenizer.add(id)) : null,
    });
    this.#first += this.#ids.length;
    this.#ids = [];
    this.#atMs = [];
    this.#postedAt = now;
  }
}
