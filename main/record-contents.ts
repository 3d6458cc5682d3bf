import type { OpenRecord } from '../shared/host.ts';
import { parseRecord } from '../shared/parse-record.ts';
import { openRecordOf } from './open-record.ts';
import { decodeUtf8 } from './record-files.ts';
import { LARGE_RECORD_BYTES, type LargeRecord, type RecordReader } from './record-reader.ts';
import { openableText } from './saved-record.ts';

/** What is kept of an open record: its values or, of a large one, its text, whose values the window has. */
export type RecordContent = OpenRecord | LargeRecord;

/** Turns the bytes of record files into what is kept of them: small ones at once, large ones by another process. */
export class RecordContents {
  readonly #reader: RecordReader;
  readonly #changed: () => void;
  #opening: readonly { readonly name: string }[] = [];

  /** `changed`: what is being opened is not what it was. */
  constructor(reader: RecordReader, changed: () => void) {
    this.#reader = reader;
    this.#changed = changed;
  }

  /** The names of large records that are being opened. */
  opening(): string[] {
    return this.#opening.map(({ name }) => name);
  }

  /** Throws a `worker` error for a large record that could not be read to its end; `path` is where it says so. */
  async read(bytes: Uint8Array, path?: string): Promise<RecordContent> {
    if (bytes.length > LARGE_RECORD_BYTES) return this.#reader.check(bytes, path);
    return openRecordOf(parseRecord(bytes, decodeUtf8));
  }

  /** As `read`, for what nobody has seen yet: meanwhile its name is told. */
  async open(name: string, bytes: Uint8Array, path?: string): Promise<RecordContent> {
    if (bytes.length <= LARGE_RECORD_BYTES) return this.read(bytes, path);
    const entry = { name };
    this.#opening = [...this.#opening, entry];
    this.#changed();
    try {
      return await this.read(bytes, path);
    } finally {
      this.#opening = this.#opening.filter((other) => other !== entry);
      this.#changed();
    }
  }
}

/** The record as the text of its file. A large one stays as it was written. */
export function fileText(content: Extract<RecordContent, { record: unknown }> | LargeRecord): string | Uint8Array {
  return 'json' in content ? content.json : openableText(content.record);
}
