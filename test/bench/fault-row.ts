import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What breaks, how often it was broken, and what came of it. A row that does not hold says so; nothing is asserted. */
export interface FaultRow {
  fault: string;
  times: number;
  held: number;
  note: string;
}

export function faultFolder(): string {
  return mkdtempSync(join(tmpdir(), 'tokenscope-faults-'));
}

/** Repeatable: the points of a fault are the same in every run of the script. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** Words for a person: there are some, and none of them is the system's or a stack. */
export function isPlain(message: string | null | undefined): boolean {
  return typeof message === 'string' && message !== '' && !/\b[A-Z]{4,}: |\n|    at /.test(message);
}
