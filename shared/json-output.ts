import { TokenscopeError } from './errors.ts';
import { type PathStep, formatPath } from './problem.ts';
import type { TraceRecord } from './record.ts';
import type { ReferenceSummary } from './summarize.ts';
import type { RecordSummary } from './summary.ts';

/**
 * JSON with two spaces of indent and a final line break, as JSON.stringify writes it but for two things: a Map is
 * written as an object in the order of its entries (a plain object would put a run named "64" before one named
 * "long"), and a figure that JSON cannot hold is an error with its path instead of a silent null.
 */
export function jsonText(value: unknown): string {
  const parts: string[] = [];
  write(value, '\n', [], parts);
  return `${parts.join('')}\n`;
}

/**
 * The record as the text of its file, its fields in the order they have. By JSON.stringify, which for the hundred
 * megabytes a record may have needs less memory than the pieces above; a figure JSON cannot hold is an error as well.
 */
export function recordText(record: TraceRecord): string {
  return `${JSON.stringify(record, onlyFinite, 2)}\n`;
}

function onlyFinite(key: string, value: unknown): unknown {
  if (typeof value === 'number') assertFinite(value, [key]);
  return value;
}

function assertFinite(value: number, path: readonly PathStep[]): void {
  if (Number.isFinite(value)) return;
  throw new TokenscopeError('record', `JSON cannot hold the figure ${value}`, { path: formatPath(path) });
}

/** The reference summary, and beside it the whole one. */
export function fullSummary(reference: ReferenceSummary, summary: RecordSummary): unknown {
  return { ...reference, summary };
}

function write(value: unknown, lineBreak: string, path: PathStep[], parts: string[]): void {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown, index): [number, unknown] => [index, item]);
    writeMembers(items, '[', ']', lineBreak, path, parts);
  } else if (value instanceof Map) {
    writeMembers(
      [...value].map(([key, item]): [string, unknown] => [String(key), item]),
      '{',
      '}',
      lineBreak,
      path,
      parts,
    );
  } else if (typeof value === 'object' && value !== null) {
    const members: [string, unknown][] = Object.entries(value);
    writeMembers(
      members.filter(([, member]) => member !== undefined),
      '{',
      '}',
      lineBreak,
      path,
      parts,
    );
  } else {
    if (typeof value === 'number') assertFinite(value, path);
    parts.push(JSON.stringify(value) ?? 'null');
  }
}

function writeMembers(
  members: readonly (readonly [PathStep, unknown])[],
  open: string,
  close: string,
  lineBreak: string,
  path: PathStep[],
  parts: string[],
): void {
  if (members.length === 0) {
    parts.push(open, close);
    return;
  }
  const inner = `${lineBreak}  `;
  let separator = open;
  for (const [key, member] of members) {
    parts.push(separator, inner);
    if (typeof key === 'string') parts.push(JSON.stringify(key), ': ');
    path.push(key);
    write(member, inner, path, parts);
    path.pop();
    separator = ',';
  }
  parts.push(lineBreak, close);
}
