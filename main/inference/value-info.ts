import { TokenscopeError } from '../../shared/errors.ts';

/** A tensor at the edge of a graph. A dimension is a number, the name the graph gives it, or null where it gives none. */
export interface ValueInfo {
  name: string;
  type: string;
  /** Null where the graph does not say. */
  shape: readonly (number | string | null)[] | null;
}

/** A `model` error for a graph whose edge is not understood. */
export function unknown(reason: string): TokenscopeError {
  return new TokenscopeError('model', `unknown signature: ${reason}`);
}

/** The first few names, quoted: a decoder has some fifty inputs. */
export function listNames(values: readonly ValueInfo[]): string {
  const shown = values.slice(0, 4).map((value) => `"${value.name}"`);
  if (shown.length === 0) return 'none at all';
  return values.length > shown.length
    ? `${shown.join(', ')} and ${values.length - shown.length} more`
    : shown.join(', ');
}
