import type { Comparison } from '../../shared/compare.ts';
import { compareSubjects } from '../../shared/compare-records.ts';
import { messageOf } from '../../shared/errors.ts';
import type { ComparedPair } from './compared-pair.ts';

export type Compared =
  | { readonly status: 'error'; readonly message: string }
  | { readonly status: 'ready'; readonly comparison: Comparison };

/** What may be said of two, or why nothing can. The figures of the command line: same method, same seed. */
export function compared({ a, b }: ComparedPair): Compared {
  try {
    return { status: 'ready', comparison: compareSubjects(a, b) };
  } catch (error) {
    return { status: 'error', message: messageOf(error) };
  }
}
