import { z } from 'zod';
import { TokenscopeError } from '../../shared/errors.ts';
import type { SpecialTokens } from '../../shared/presets.ts';

const ids = z.union([z.int().transform((id) => [id]), z.array(z.int())]).nullish();
const tokensSchema = z.looseObject({
  eos_token_id: ids,
  bos_token_id: z.int().nullish(),
  pad_token_id: z.int().nullish(),
});

/**
 * The ids that a configuration gives to special tokens: its end of text closes a turn, its padding (or its second end of
 * text, or its beginning) ends a text, its beginning opens a turn. What it does not name gets the last free ids.
 */
export function specialTokensOf(config: unknown, vocabularySize: number, path: string): SpecialTokens {
  const parsed = tokensSchema.safeParse(config);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new TokenscopeError('model', `${issue?.path.join('.')}: ${issue?.message}`, { path });
  }
  const { eos_token_id: eos, bos_token_id: bos, pad_token_id: pad } = parsed.data;
  const taken = new Set<number>();
  const take = (candidates: readonly (number | null | undefined)[]): number => {
    for (const id of candidates) {
      // Some configurations name a padding token of -1 for none.
      if (typeof id === 'number' && id >= 0 && id < vocabularySize && !taken.has(id)) {
        taken.add(id);
        return id;
      }
    }
    let free = vocabularySize - 1;
    while (taken.has(free)) free -= 1;
    taken.add(free);
    return free;
  };
  const turnEnd = take([eos?.[0]]);
  return { turnEnd, endOfText: take([pad, eos?.[1], bos]), turnStart: take([bos]) };
}
