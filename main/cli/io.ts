/** What a command prints to. Data goes to `stdout`, everything else to `stderr`. */
export interface Io {
  stdout(text: string): void;
  stderr(text: string): void;
  /** Whether somebody watches `stderr`: progress is drawn only then. */
  watched: boolean;
  /** Width of the terminal, where one is known. */
  columns?: number;
}

/** Exit codes: part of the interface, so that scripts can tell what happened. */
export const EXIT = {
  fine: 0,
  /** An input was refused: one line says which file, where in it, and why. */
  refused: 1,
  usage: 2,
  /** A run broke off; what it had measured was kept. */
  failed: 3,
  /** `compare`: no claim can be made about the two. */
  notComparable: 4,
  /** `compare --fail-if-slower`: the second is slower by more than the limit. */
  slower: 5,
  interrupted: 130,
} as const;
