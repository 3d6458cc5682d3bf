import type { Run, Sample } from './record.ts';

/** Whether two runs wrote the same tokens: greedy decoding of one prompt should, whatever the loop. */
export type OutputComparison =
  /** The prompts differ, or a prompt is not recorded: nothing to expect. */
  | { readonly same: null }
  | { readonly same: true; readonly tokens: number }
  /** All of the shorter reply is the beginning of the longer one. */
  | { readonly same: 'as far as both go'; readonly tokens: number }
  | { readonly same: false; readonly index: number; readonly a: OutputToken; readonly b: OutputToken };

export interface OutputToken {
  readonly id: number;
  /** Null where the record holds no texts of tokens. */
  readonly text: string | null;
}

/** Compares the first samples; `index` counts tokens from 0. */
export function compareOutput(a: Run, b: Run): OutputComparison {
  const [one] = a.samples;
  const [other] = b.samples;
  if (one?.prompt === undefined || one.prompt !== other?.prompt) return { same: null };
  const shorter = Math.min(one.generated_token_ids.length, other.generated_token_ids.length);
  for (let index = 0; index < shorter; index += 1) {
    if (one.generated_token_ids[index] !== other.generated_token_ids[index]) {
      return { same: false, index, a: tokenOf(one, index), b: tokenOf(other, index) };
    }
  }
  const equal = one.generated_token_ids.length === other.generated_token_ids.length;
  return { same: equal ? true : 'as far as both go', tokens: shorter };
}

function tokenOf(sample: Sample, index: number): OutputToken {
  return { id: sample.generated_token_ids[index] ?? 0, text: sample.token_texts?.[index] ?? null };
}
