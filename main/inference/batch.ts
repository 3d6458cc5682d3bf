import { TokenscopeError } from '../../shared/errors.ts';
import type { Batch } from '../../shared/record.ts';
import { checkContext } from '../../shared/request.ts';
import { roundTo3 } from '../../shared/statistics.ts';
import { argmax } from './argmax.ts';
import type { LoadedModel } from './decoder.ts';
import { emptyCaches, lastLogits, logitsSelectors, output, readLogits } from './forward.ts';
import { type Feeds, Tensor } from './session.ts';

export type BatchResult = { kind: 'batch'; batch: Batch } | { kind: 'stopped' };

/**
 * A static batch: all prompts are padded on the left to the longest and decoded in step until every row has ended.
 * The clock starts after tokenization, as in the reference lab, so a batch is never comparable with a single request.
 * A row ends at its end-of-text token, which counts, or at the cap; ended rows are fed padding and count no further.
 */
export async function runBatch(
  model: LoadedModel,
  prompts: readonly string[],
  maxNewTokens: number,
  signal?: AbortSignal,
): Promise<BatchResult> {
  const { session, clock, tokenizer } = model;
  const { signature } = session;
  const rows = prompts.map((prompt) => tokenizer.encodePrompt(prompt));
  const longest = Math.max(...rows.map((row) => row.length));
  refuseUnsafePadding(model, rows);
  checkContext(longest, maxNewTokens, model.contextTokens);

  const started = clock();
  const feeds = promptFeeds(model, rows, longest);
  const everything = signature.hasOtherOutputs ? [signature.logits, ...signature.present] : undefined;
  const emitted: number[][] = rows.map(() => []);
  const endedAt: (number | undefined)[] = rows.map(() => undefined);

  for (let step = 0; ; step++) {
    if (signal?.aborted === true) return { kind: 'stopped' };
    const results = await session.run(feeds, everything);
    const logits = readLogits(output(results, signature.logits));
    const next = new BigInt64Array(rows.length);
    rows.forEach((_, row) => {
      next[row] = BigInt(model.padTokenId);
      if (endedAt[row] !== undefined) return;
      // Padding is on the left, so the last position of every row is its last real token.
      const last = lastLogits(logits, row);
      const token = argmax(last, 0, last.length);
      const reply = emitted[row];
      reply?.push(token);
      next[row] = BigInt(token);
      if (model.eosTokenIds.has(token) || reply?.length === maxNewTokens) endedAt[row] = clock() - started;
    });
    if (endedAt.every((end) => end !== undefined)) break;
    signature.past.forEach((name, index) => {
      feeds[name] = output(results, signature.present[index] ?? '');
    });
    placeStep(model, feeds, rows, longest, next, step + 1);
  }

  const elapsed = clock() - started;
  const outputTokens = emitted.reduce((sum, row) => sum + row.length, 0);
  return {
    kind: 'batch',
    batch: {
      batch_size: rows.length,
      elapsed_ms: roundTo3(elapsed),
      output_tokens: outputTokens,
      output_tokens_per_s: roundTo3(outputTokens / (elapsed / 1000)),
      texts: emitted.map((ids) => tokenizer.decode(ids)),
      row_elapsed_ms: endedAt.map((end) => roundTo3(end ?? elapsed)),
      row_tokens: emitted.map((ids) => ids.length),
    },
  };
}

/**
 * GroupQueryAttention takes padding on the right only; on the left it would return wrong text without a word. Rows of one
 * length need no padding.
 */
function refuseUnsafePadding(model: LoadedModel, rows: readonly number[][]): void {
  if (!model.session.graph.opTypes.has('GroupQueryAttention')) return;
  const lengths = rows.map((row) => row.length);
  const [least, most] = [Math.min(...lengths), Math.max(...lengths)];
  if (least === most) return;
  throw new TokenscopeError(
    'model',
    `a batch of ${rows.length} prompts of ${least} to ${most} tokens needs padding on the left, which this graph's ` +
      'GroupQueryAttention does not support',
    { remedy: 'use prompts of one length, a batch of 1, or a graph with decomposed attention' },
  );
}

/** The whole prompts: ids [rows, longest], mask 0 on padding, positions that count real tokens only. */
function promptFeeds(model: LoadedModel, rows: readonly number[][], longest: number): Feeds {
  const { session } = model;
  const { signature } = session;
  const ids = new BigInt64Array(rows.length * longest).fill(BigInt(model.padTokenId));
  // What a masked position counts as does not matter; 0 is inside every model's range.
  const positions = new BigInt64Array(rows.length * longest);
  rows.forEach((row, index) => {
    const padding = longest - row.length;
    row.forEach((id, position) => {
      ids[index * longest + padding + position] = BigInt(id);
      positions[index * longest + padding + position] = BigInt(position);
    });
  });
  const feeds: Feeds = { [signature.inputIds]: new Tensor('int64', ids, [rows.length, longest]) };
  if (signature.attentionMask !== undefined) feeds[signature.attentionMask] = mask(rows, longest, longest);
  if (signature.positionIds !== undefined) {
    feeds[signature.positionIds] = new Tensor('int64', positions, [rows.length, longest]);
  }
  const { logitsControl } = signature;
  if ('input' in logitsControl) feeds[logitsControl.input] = logitsSelectors(session).last;
  return Object.assign(feeds, emptyCaches(session, rows.length));
}

/** One token more for every row: ids and positions [rows, 1], mask one column wider. */
function placeStep(
  model: LoadedModel,
  feeds: Feeds,
  rows: readonly number[][],
  longest: number,
  next: BigInt64Array,
  step: number,
): void {
  const { signature } = model.session;
  feeds[signature.inputIds] = new Tensor('int64', next, [rows.length, 1]);
  if (signature.attentionMask !== undefined) feeds[signature.attentionMask] = mask(rows, longest, longest + step);
  if (signature.positionIds !== undefined) {
    const positions = BigInt64Array.from(rows, (row) => BigInt(row.length + step - 1));
    feeds[signature.positionIds] = new Tensor('int64', positions, [rows.length, 1]);
  }
}

function mask(rows: readonly number[][], longest: number, width: number): Tensor {
  const values = new BigInt64Array(rows.length * width).fill(1n);
  rows.forEach((row, index) => values.fill(0n, index * width, index * width + longest - row.length));
  return new Tensor('int64', values, [rows.length, width]);
}
