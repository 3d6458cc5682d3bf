import { isAbsolute } from 'node:path';
import { messageOf, TokenscopeError } from '../shared/errors.ts';
import type { HostError, Outcome } from '../shared/host.ts';
import { displayPath } from './display-path.ts';

/** What a window is told of an error: words, a place, and never a stack. */
export function hostError(error: unknown): HostError {
  if (!(error instanceof TokenscopeError)) {
    return { code: 'fault', message: messageOf(error), path: null, remedy: null };
  }
  const { path } = error;
  return {
    code: error.code,
    message: error.message,
    path: path === undefined ? null : isAbsolute(path) ? displayPath(path) : path,
    remedy: error.remedy ?? null,
  };
}

/** Runs what a person asked for and turns its end, good or bad, into an answer for the window. */
export async function outcomeOf<T>(work: () => T | Promise<T>): Promise<Outcome<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    return { ok: false, error: hostError(error) };
  }
}
