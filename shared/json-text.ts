import { JSON_LIMITS, type JsonLimits } from './json-rules.ts';
import { scanJson } from './json-scan.ts';
import type { Problem } from './problem.ts';

export { JSON_LIMITS, JSON_REASONS, type JsonLimits } from './json-rules.ts';

/**
 * Reads JSON that nobody vouches for. One pass over the bytes checks the grammar, the encoding, duplicate keys and the
 * bounds of json-rules.ts before a single value is built, in memory that does not depend on the file; only then does
 * JSON.parse run. (The libraries that refuse duplicate keys build the values first and know no bounds.)
 */

export type JsonResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: Problem };

/** Turns UTF-8 bytes that were found valid into text; `shared` cannot name the platform's TextDecoder itself. */
export type DecodeUtf8 = (bytes: Uint8Array) => string;

/** The value in the bytes, or the one problem that was met first. */
export function readJson(bytes: Uint8Array, decode: DecodeUtf8, limits: JsonLimits = JSON_LIMITS): JsonResult {
  const start = hasByteOrderMark(bytes) ? 3 : 0;
  const problem = scanJson(bytes, start, limits);
  if (problem !== null) return { ok: false, problem };
  const value: unknown = JSON.parse(decode(bytes.subarray(start)));
  return { ok: true, value };
}

/** The same memory, from the first byte of the text on. */
export function withoutByteOrderMark(bytes: Uint8Array): Uint8Array {
  return hasByteOrderMark(bytes) ? bytes.subarray(3) : bytes;
}

function hasByteOrderMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}
