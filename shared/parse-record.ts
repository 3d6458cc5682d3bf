import { type DecodeUtf8, type JsonLimits, readJson } from './json-text.ts';
import { MAX_PROBLEMS, type Problem, recordError } from './problem.ts';
import { type ReadableParts, readableParts } from './readable-parts.ts';
import { RECORD_VERSION, type TraceRecord, recordSchema } from './record.ts';
import { checkSchema } from './schema-check.ts';
import { upgradeRecord } from './upgrade-record.ts';

export const PARSE_REASONS = {
  version: 'The record was written by a newer version of Tokenscope',
  notARecord: 'The file is JSON but not a record of a trace',
} as const;

/** The fields that every record has, in the order in which they are written. */
const REQUIRED_FIELDS = ['model', 'generation', 'runs', 'batch_sweep', 'prefix_reuse'] as const;

export type RecordResult =
  | {
      readonly ok: true;
      readonly record: TraceRecord;
      /** The version the file had; 0 for the reference lab's. */
      readonly version: number;
    }
  | {
      readonly ok: false;
      readonly code: 'record' | 'record-version';
      /** At least one, in the order of the file's fields, at most MAX_PROBLEMS. */
      readonly problems: readonly [Problem, ...Problem[]];
      /** What of the file can still be shown; null when the text is not JSON. */
      readonly parts: ReadableParts | null;
    };

/**
 * UTF-8 bytes -> a record whose fields have the right types, or what is wrong with it. The record is the very value in
 * the file: unknown fields and the order of the fields survive. Whether its figures can be true is the summarizer's
 * question (summarize.ts).
 */
export function parseRecord(bytes: Uint8Array, decode: DecodeUtf8, limits?: JsonLimits): RecordResult {
  const json = readJson(bytes, decode, limits);
  return json.ok ? parseRecordValue(json.value) : unreadable(json.problem);
}

/** What parseRecord says of a text that is not JSON. */
export function unreadable(problem: Problem): RecordResult {
  return { ok: false, code: 'record', problems: [problem], parts: null };
}

/** As parseRecord, for JSON that has been read already. */
export function parseRecordValue(value: unknown): RecordResult {
  const version = versionOf(value);
  if (version !== null && version > RECORD_VERSION) {
    const figures = `the file has schema_version ${version}, this program reads up to ${RECORD_VERSION}`;
    return refused('record-version', [{ path: 'schema_version', reason: PARSE_REASONS.version, figures }], value);
  }
  const misfit = notARecord(value);
  if (misfit !== null) return refused('record', [misfit], value);
  const current = upgradeRecord(value, version ?? 0);
  const checked = checkSchema(recordSchema, current, [], MAX_PROBLEMS);
  if (checked.ok) return { ok: true, record: checked.value, version: version ?? 0 };
  return refused('record', checked.problems, current);
}

/** As parseRecord, but throws the first problem as a TokenscopeError whose path is the place in the record. */
export function parseRecordOrThrow(bytes: Uint8Array, decode: DecodeUtf8, limits?: JsonLimits): TraceRecord {
  const result = parseRecord(bytes, decode, limits);
  if (result.ok) return result.record;
  throw recordError(result.code, result.problems);
}

function refused(
  code: 'record' | 'record-version',
  problems: readonly [Problem, ...Problem[]],
  value: unknown,
): RecordResult {
  return { ok: false, code, problems, parts: readableParts(value) };
}

/** The declared version; null when there is none, or none that could be one: that is then the schema's to refuse. */
function versionOf(value: unknown): number | null {
  if (typeof value !== 'object' || value === null || !('schema_version' in value)) return null;
  const version = value.schema_version;
  return typeof version === 'number' && Number.isInteger(version) && version >= 0 ? version : null;
}

function notARecord(value: unknown): Problem | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const found = Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`;
    return { path: '', reason: PARSE_REASONS.notARecord, figures: `it holds ${found}, a record is an object` };
  }
  if (REQUIRED_FIELDS.some((field) => Object.hasOwn(value, field))) return null;
  const figures = `it has none of the fields ${REQUIRED_FIELDS.join(', ')}`;
  return { path: '', reason: PARSE_REASONS.notARecord, figures };
}
