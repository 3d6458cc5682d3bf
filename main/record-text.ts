import type { ExportRequest } from '../shared/export-formats.ts';
import type { OpenRecord } from '../shared/host.ts';
import { readJson } from '../shared/json-text.ts';
import { openedText } from '../shared/open-record-text.ts';
import { parseRecordValue, unreadable } from '../shared/parse-record.ts';
import type { Verdict } from '../shared/record-messages.ts';
import { openRecordOf } from './open-record.ts';
import { decodeUtf8 } from './record-files.ts';

/**
 * What openRecordOf says of a record file's bytes. `text` is what a window shows of it as UTF-8 JSON; undefined when
 * that is what the bytes are. Of a part of a refused record a time that is infinite becomes null: no figure of it is drawn.
 */
export function checkRecordText(bytes: Uint8Array): { verdict: Verdict; text: Uint8Array | undefined } {
  const json = readJson(bytes, decodeUtf8);
  const opened = openRecordOf(json.ok ? parseRecordValue(json.value) : unreadable(json.problem));
  const shown = opened.valid ? opened.record : opened.readable;
  return { verdict: verdictOf(opened), text: json.ok && shown === json.value ? undefined : textOf(shown) };
}

function textOf(shown: object): Uint8Array {
  try {
    return new TextEncoder().encode(JSON.stringify(shown));
  } catch (error) {
    // 1e20 has four characters in a file and 21 here: of a refused record that no string can hold, the reasons have to do.
    if (error instanceof RangeError) return new TextEncoder().encode('{}');
    throw error;
  }
}

function verdictOf(opened: OpenRecord): Verdict {
  if (!opened.valid) return { valid: false, problems: opened.problems };
  const { created_at } = opened.record;
  return { valid: true, problems: [], ...(created_at === undefined ? {} : { created_at }) };
}

/** A record that was found valid, as the content of a file of another format. Errors as exportFileContent. */
export async function exportRecordText(text: Uint8Array, request: ExportRequest): Promise<Uint8Array> {
  const opened = openedText({ valid: true, problems: [] }, decodeUtf8(text));
  if (!opened.valid) throw new Error('a text that is called valid was not opened as such');
  // What draws a report is loaded only where one is drawn.
  const { exportFileContent } = await import('./export-file.ts');
  return exportFileContent(opened.record, request);
}
