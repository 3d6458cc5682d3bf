import { quoted } from './problem.ts';

/** Single bytes of a JSON text, and how they are told of in a message. */

export const TAB = 0x09;
export const NEWLINE = 0x0a;
export const RETURN = 0x0d;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const PLUS = 0x2b;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const POINT = 0x2e;
export const ZERO = 0x30;
export const NINE = 0x39;
export const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
/** What reading beyond the last byte gives. */
export const END = -1;

/**
 * The number of bytes of the character at `at`, which begins with a byte from 0x80 on; 0 if it is not UTF-8. By
 * Unicode's table of well-formed sequences (3-7).
 */
export function utf8Length(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  const second = bytes[at + 1] ?? 0;
  let length = 0;
  let low = 0x80;
  let high = 0xbf;
  if (lead >= 0xc2 && lead <= 0xdf) length = 2;
  else if (lead >= 0xe0 && lead <= 0xef) {
    length = 3;
    if (lead === 0xe0) low = 0xa0;
    if (lead === 0xed) high = 0x9f;
  } else if (lead >= 0xf0 && lead <= 0xf4) {
    length = 4;
    if (lead === 0xf0) low = 0x90;
    if (lead === 0xf4) high = 0x8f;
  }
  if (length === 0 || second < low || second > high) return 0;
  for (let index = 2; index < length; index += 1) {
    if (((bytes[at + index] ?? 0) & 0xc0) !== 0x80) return 0;
  }
  return length;
}

/** The word or the character at a place, for a message. */
export function shownAt(bytes: Uint8Array, from: number): string {
  const byte = bytes[from] ?? 0;
  if (byte >= 0x80) return 'a character outside ASCII';
  if (byte < SPACE || byte === 0x7f) return `the control character ${hex(byte)}`;
  let word = '';
  for (let at = from; word.length < 20 && isWordByte(bytes[at] ?? 0); at += 1)
    word += String.fromCharCode(bytes[at] ?? 0);
  return quoted(word === '' ? String.fromCharCode(byte) : word);
}

/** A place in words, counted from 1; a column is a character. */
export function positionIn(bytes: Uint8Array, start: number, at: number): string {
  let line = 1;
  let column = 1;
  for (let index = start; index < at && index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte === NEWLINE) {
      line += 1;
      column = 1;
    } else if ((byte & 0xc0) !== 0x80) {
      column += 1;
    }
  }
  return `line ${line}, column ${column}`;
}

export function hex(byte: number): string {
  return `0x${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}

export function isHexDigit(byte: number): boolean {
  return (byte >= ZERO && byte <= NINE) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

export function isWordByte(byte: number): boolean {
  return (byte >= ZERO && byte <= NINE) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
}
