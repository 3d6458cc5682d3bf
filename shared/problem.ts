import { TokenscopeError } from './errors.ts';

/** Something wrong in a file of ours: where it is, what rule it breaks, and the figures that show it. */
export interface Problem {
  /** A place in the record such as `runs[2].samples[0].itl_ms[3]`; empty for the whole file. */
  readonly path: string;
  /** The rule. Stable: scripts and tests match on it. */
  readonly reason: string;
  /** What was found and what was expected; for broken text the line and column. */
  readonly figures?: string;
}

/** The problem without its path: reason and figures. */
export function problemMessage(problem: Problem): string {
  return problem.figures === undefined ? problem.reason : `${problem.reason}: ${problem.figures}`;
}

/** The problem as one line: path, reason, figures. */
export function problemLine(problem: Problem): string {
  return problem.path === '' ? problemMessage(problem) : `${problem.path}: ${problemMessage(problem)}`;
}

/** How many problems are listed: more would not help a person, and a hostile file has millions. */
export const MAX_PROBLEMS = 100;

/** The first problem as an error; the others are counted. */
export function recordError(
  code: 'record' | 'record-version',
  problems: readonly [Problem, ...Problem[]],
): TokenscopeError {
  const [first] = problems;
  const others = problems.length - 1;
  const more = others === 0 ? '' : ` (and ${others === MAX_PROBLEMS - 1 ? 'at least ' : ''}${others} more)`;
  return new TokenscopeError(code, problemMessage(first) + more, {
    ...(first.path === '' ? {} : { path: first.path }),
    ...(code === 'record-version' ? { remedy: 'open it with that version or a newer one' } : {}),
  });
}

export type PathStep = string | number;

/** Longer keys are cut where they are shown: they come from untrusted files. */
const SHOWN_KEY_LENGTH = 60;

/** `['runs', 2, 'odd key']` -> `runs[2]["odd key"]`. */
export function formatPath(steps: readonly PathStep[]): string {
  let path = '';
  for (const step of steps) {
    if (typeof step === 'number') path += `[${step}]`;
    else if (/^[A-Za-z_$][\w$]*$/.test(step) && step.length <= SHOWN_KEY_LENGTH)
      path += path === '' ? step : `.${step}`;
    else path += `[${quoted(step)}]`;
  }
  return path;
}

/** Untrusted text in quotation marks, control characters escaped, cut to a length a line can hold. */
export function quoted(text: string): string {
  return printable(JSON.stringify(text.length > SHOWN_KEY_LENGTH ? `${text.slice(0, SHOWN_KEY_LENGTH)}…` : text));
}

/**
 * Text from a file made safe for one line of a terminal or a table: line breaks become spaces; control characters,
 * which could move the cursor or recolour the screen, and marks that reverse the writing direction are replaced.
 */
export function printable(text: string): string {
  return text
    .replaceAll(/[\r\n\t\u2028\u2029]+/g, ' ')
    .replaceAll(/[\p{Cc}\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, '\uFFFD');
}
