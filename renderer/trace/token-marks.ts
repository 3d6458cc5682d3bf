/** Marks for what is in a token and cannot be seen. */
const MARKS: Readonly<Record<string, string>> = { '\n': '⏎', '\r': '␍', '\t': '⇥' };

/**
 * A token's text for one line: line breaks and tabs as marks, other control characters and marks that reverse the
 * writing direction replaced, cut to `limit` characters.
 */
export function tokenMarks(text: string, limit = 60): string {
  const shown = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return shown
    .replaceAll(/[\n\r\t]/g, (mark) => MARKS[mark] ?? mark)
    .replaceAll(/[\p{Cc}\u200E\u200F\u202A-\u202E\u2066-\u2069\u2028\u2029]/gu, '\uFFFD');
}

/** As above, and leading and trailing spaces as dots, for a sentence or a label that quotes the token. */
export function quotedToken(text: string): string {
  if (text === '') return '(no text yet)';
  return `“${tokenMarks(text).replaceAll(/^ +| +$/g, (spaces) => '·'.repeat(spaces.length))}”`;
}
