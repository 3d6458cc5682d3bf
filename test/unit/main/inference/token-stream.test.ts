import { expect, test } from 'vitest';
import { TokenStream } from '../../../../main/inference/token-stream.ts';
import type { RunEvent } from '../../../../shared/messages.ts';

/** A stream whose time stands still until the test moves it. Token n is the text `<n>`. */
function stream(everyMs: number, texts: boolean) {
  const events: RunEvent[] = [];
  const time = { now: 0 };
  const decode = (ids: readonly number[]) => ids.map((id) => `<${id}>`).join('');
  const tokens = new TokenStream(
    { every_ms: everyMs, texts },
    () => time.now,
    decode,
    (event) => events.push(event),
  );
  return { events, time, tokens };
}

test('posts once the time is over, never before, and the rest at the end', () => {
  const { events, time, tokens } = stream(16, true);
  tokens.prompt(44, 0.4);
  for (let id = 0; id < 10; id++) {
    time.now += 4;
    tokens.add(id, time.now);
  }
  tokens.flush();
  expect(events).toEqual([
    { type: 'prompt', prompt_tokens: 44, tokenization_ms: 0.4 },
    { type: 'tokens', first: 0, ids: [0, 1, 2, 3], at_ms: [4, 8, 12, 16], texts: ['<0>', '<1>', '<2>', '<3>'] },
    { type: 'tokens', first: 4, ids: [4, 5, 6, 7], at_ms: [20, 24, 28, 32], texts: ['<4>', '<5>', '<6>', '<7>'] },
    { type: 'tokens', first: 8, ids: [8, 9], at_ms: [36, 40], texts: ['<8>', '<9>'] },
  ]);
});

test('leaves texts out where nobody reads them', () => {
  const { events, tokens } = stream(0, false);
  tokens.prompt(1, 0);
  tokens.add(7, 1);
  expect(events.at(-1)).toEqual({ type: 'tokens', first: 0, ids: [7], at_ms: [1], texts: null });
});

test('says nothing of a request without a token', () => {
  const { events, tokens } = stream(0, true);
  tokens.prompt(1, 0);
  tokens.flush();
  expect(events).toEqual([]);
});
