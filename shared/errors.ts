/** What went wrong, as a stable word that scripts and tests can match on. */
export const ERROR_CODES = [
  'argument', // a request asks for something that cannot be run
  'plan', // a plan file does not describe an experiment
  'record', // a record is malformed or cannot be true
  'record-version', // a record was written by a newer version
  'model', // a model folder cannot be used
  'file', // a file cannot be read or written
  'download', // a model cannot be downloaded
  'worker', // the inference process failed or ended
  'message', // a message between processes does not fit its schema
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/**
 * An error that a person can act on: `path` is where (a file, or a place in a record such as `runs[2].samples[0]`),
 * `message` is what is wrong with the figures that show it, `remedy` is what to do about it.
 */
export class TokenscopeError extends Error {
  readonly code: ErrorCode;
  readonly path: string | undefined;
  readonly remedy: string | undefined;

  constructor(code: ErrorCode, message: string, details: { path?: string; remedy?: string; cause?: unknown } = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'TokenscopeError';
    this.code = code;
    this.path = details.path;
    this.remedy = details.remedy;
  }

  /** One line for a terminal or a status bar: path, reason, remedy. */
  get line(): string {
    const where = this.path === undefined ? '' : `${this.path}: `;
    const remedy = this.remedy === undefined ? '' : ` (${this.remedy})`;
    return `${where}${this.message}${remedy}`.replaceAll(/\s*\n\s*/g, ' ');
  }
}

/** As messageOf, without the place, for a sentence that has named it in words of its own. */
export function reasonOf(error: unknown): string {
  return error instanceof TokenscopeError ? error.message : messageOf(error);
}

/** The message of anything thrown, as one line and without its stack. */
export function messageOf(error: unknown): string {
  if (error instanceof TokenscopeError) return error.line;
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/\s*\n\s*/g, ' ').trim();
}
