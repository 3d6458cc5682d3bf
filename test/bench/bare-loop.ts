import type { LoadedModel } from '../../main/inference/decoder.ts';
import { emptyCaches, logitsSelectors, output } from '../../main/inference/forward.ts';
import { type Feeds, Tensor } from '../../main/inference/session.ts';

/**
 * The least that a decode loop around the runtime can be: the same feeds as ours, token ids known beforehand, no argmax,
 * no clock, no text. Returns the mean milliseconds of a decode step.
 */
export async function bareLoop(
  model: LoadedModel,
  promptIds: readonly number[],
  replyIds: readonly number[],
): Promise<number> {
  const { session } = model;
  const { signature } = session;
  const { last } = logitsSelectors(session);
  const feeds: Feeds = emptyCaches(session, 1);
  if ('input' in signature.logitsControl) feeds[signature.logitsControl.input] = last;
  const place = (ids: bigint[], from: number) => {
    const total = from + ids.length;
    feeds['input_ids'] = new Tensor('int64', BigInt64Array.from(ids), [1, ids.length]);
    feeds['attention_mask'] = new Tensor('int64', new BigInt64Array(total).fill(1n), [1, total]);
    feeds['position_ids'] = new Tensor(
      'int64',
      BigInt64Array.from(ids, (_, index) => BigInt(from + index)),
      [1, ids.length],
    );
  };
  place(promptIds.map(BigInt), 0);
  let results = await session.run(feeds);
  const started = performance.now();
  for (let step = 0; step + 1 < replyIds.length; step++) {
    for (const [index, name] of signature.past.entries()) feeds[name] = output(results, signature.present[index]!);
    place([BigInt(replyIds[step]!)], promptIds.length + step);
    results = await session.run(feeds);
  }
  return (performance.now() - started) / (replyIds.length - 1);
}
