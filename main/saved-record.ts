import { recordText } from '../shared/json-output.ts';
import type { TraceRecord } from '../shared/record.ts';
import { MAX_RECORD_BYTES } from './record-files.ts';

/**
 * The record as the text of a file that can be opened again. Indented, as people read it, unless that makes it larger than
 * what is opened: a record of 200 MB without spaces has more than 400 MB with them.
 */
export function openableText(record: TraceRecord, mostBytes = MAX_RECORD_BYTES): string {
  try {
    const indented = recordText(record);
    if (Buffer.byteLength(indented) <= mostBytes) return indented;
  } catch (error) {
    // Beyond half a gigabyte there is no string to hold it. What JSON cannot hold is an error in either form.
    if (!(error instanceof RangeError)) throw error;
  }
  return `${JSON.stringify(record)}\n`;
}

/** A file name that every system takes: the tab's name in plain letters, and for a run its date. */
export function fileNameFor(name: string, record: { readonly created_at?: string | undefined }): string {
  if (/\.(json|tokenscope)$/i.test(name)) return name;
  const plain = name
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
    .slice(0, 80);
  const date =
    record.created_at
      ?.slice(0, 16)
      .replaceAll(/[^0-9T]/g, '')
      .replace('T', '-') ?? '';
  return `${[plain === '' ? 'record' : plain, date].filter((part) => part !== '').join('-')}.json`;
}
