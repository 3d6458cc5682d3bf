import { TokenscopeError } from '../../shared/errors.ts';
import type { PrefixReuse } from '../../shared/record.ts';
import { checkContext } from '../../shared/request.ts';
import { roundTo3 } from '../../shared/statistics.ts';
import { argmax } from './argmax.ts';
import type { LoadedModel } from './decoder.ts';
import { createForward, lastLogits } from './forward.ts';

/**
 * What a cached prefix saves. The whole text is tokenized once, since the tokens of two halves need not be the tokens of
 * the whole; its first half is evaluated and kept, and the rest is evaluated behind it. Times are milliseconds of the
 * evaluation alone, without tokenization; the logits of the last position must agree but for rounding.
 */
export async function runPrefixReuse(model: LoadedModel, prefix: string, suffix: string): Promise<PrefixReuse> {
  const { clock, session, constants } = model;
  const ids = BigInt64Array.from(model.tokenizer.encodePrompt(prefix + suffix), BigInt);
  checkContext(ids.length, 1, model.contextTokens);
  if (ids.length < 2) {
    throw new TokenscopeError('argument', `prefix and suffix are ${ids.length} token together, at least 2 are needed`, {
      path: 'prefix_reuse',
    });
  }
  const prefixTokens = Math.max(1, Math.floor(ids.length / 2));

  const evaluate = async (context: ReturnType<typeof createForward>, part: BigInt64Array) => {
    const before = clock();
    const logits = await context.extend(part, 'last');
    if (logits === undefined) throw new Error('the last position always has logits');
    return { logits: lastLogits(logits), ms: clock() - before };
  };

  const coldContext = createForward(session, constants);
  const cold = await evaluate(coldContext, ids);
  coldContext.release();
  const warmContext = createForward(session, constants);
  await warmContext.extend(ids.subarray(0, prefixTokens), 'none');
  const warm = await evaluate(warmContext, ids.subarray(prefixTokens));
  warmContext.release();

  return {
    total_tokens: ids.length,
    cached_prefix_tokens: prefixTokens,
    cold_prefill_ms: roundTo3(cold.ms),
    suffix_prefill_ms: roundTo3(warm.ms),
    max_abs_last_logit_diff: largestDifference(cold.logits, warm.logits),
    same_greedy_next_token: argmax(cold.logits, 0, cold.logits.length) === argmax(warm.logits, 0, warm.logits.length),
  };
}

function largestDifference(left: Float32Array, right: Float32Array): number {
  let largest = 0;
  left.forEach((value, index) => {
    largest = Math.max(largest, Math.abs(value - (right[index] ?? Number.NaN)));
  });
  return largest;
}
