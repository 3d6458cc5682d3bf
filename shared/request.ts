import { TokenscopeError } from './errors.ts';
import type { PlannedRun } from './plan.ts';

/** One request to a decoder: a prompt and how it is to be evaluated. Field meanings as in a plan's run. */
export type DecodeRequest = Omit<PlannedRun, 'name' | 'repeats'>;

/** Refuses what cannot be run before anything runs. Each message names the argument, its value and the bound. */
export function checkRequest(request: DecodeRequest): void {
  const refuse = (argument: string, message: string, remedy: string) =>
    new TokenscopeError('argument', message, { path: argument, remedy });
  if (request.prompt.trim() === '') throw refuse('prompt', 'must not be empty', 'write at least one visible character');
  for (const argument of ['max_new_tokens', 'chunk_size', 'cancel_after'] as const) {
    const value = request[argument];
    if (value === null) continue;
    if (!Number.isSafeInteger(value) || value < 1) {
      throw refuse(argument, `must be a whole number of at least 1, not ${value}`, 'use 1 or more');
    }
  }
  if (request.chunk_size !== null && !request.use_cache) {
    throw refuse(
      'chunk_size',
      `chunks of ${request.chunk_size} need a cache, but use_cache is false`,
      'keep the cache, or evaluate the prompt at once',
    );
  }
}

/** Refuses a request whose prompt and cap do not fit into the model's context together. */
export function checkContext(promptTokens: number, maxNewTokens: number, contextTokens: number | undefined): void {
  if (contextTokens === undefined || promptTokens + maxNewTokens <= contextTokens) return;
  throw new TokenscopeError(
    'argument',
    `${promptTokens} prompt tokens and a cap of ${maxNewTokens} are ${promptTokens + maxNewTokens} tokens, the model's context holds ${contextTokens}`,
    {
      path: 'max_new_tokens',
      remedy:
        promptTokens < contextTokens ? `use a cap of at most ${contextTokens - promptTokens}` : 'shorten the prompt',
    },
  );
}
