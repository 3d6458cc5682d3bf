import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SAMPLE_RECORD } from '../../../main/app-paths.ts';
import { exportFileContent } from '../../../main/export-file.ts';
import { openRecordOf } from '../../../main/open-record.ts';
import { decodeUtf8 } from '../../../main/record-files.ts';
import { RecordReader } from '../../../main/record-reader.ts';
import { forkNodeRecordWorker } from '../../../main/record-worker-host.ts';
import { EXPORT_FORMATS, type ExportRequest } from '../../../shared/export-formats.ts';
import { openedText } from '../../../shared/open-record-text.ts';
import { parseRecord } from '../../../shared/parse-record.ts';
import { PIECE_BYTES } from '../../../shared/record-messages.ts';
import { largeRecord } from '../../support/large-records.ts';
import { liveRun, recordOf, sample, utf8 } from '../../support/records.ts';
import { temporaryFolder } from '../../support/profiler.ts';

/** Every file here goes through the real process, whatever its size. */
const reader = new RecordReader(() => forkNodeRecordWorker());
const json = (value: unknown, indent?: number): Uint8Array => utf8(JSON.stringify(value, null, indent));
const lineOf = (error: unknown): string => String(error instanceof Error && 'line' in error ? error.line : error);
const [one] = liveRun().runs;
const long = recordOf([sample({ prompt: 'a \u{1f642} prompt. '.repeat(PIECE_BYTES / 12) })]);

describe('says the same as reading in this process', () => {
  test.each<[string, Uint8Array]>([
    ['the sample record', readFileSync(SAMPLE_RECORD)],
    ['a record with a byte order mark', Uint8Array.of(0xef, 0xbb, 0xbf, ...json(liveRun()))],
    ['a large record', json(largeRecord())],
    ['a record of several pieces', json(long, 2)],
    ['a record with fields of others', json({ ...liveRun(), other: { ['__proto__']: null, π: [1, '\u2028'] } })],
    ['figures that cannot be true', json({ ...liveRun(), runs: [{ ...one, samples: [sample({ e2e_ms: 5 })] }] })],
    ['a time that is infinite', utf8(JSON.stringify(recordOf([sample()])).replace('"e2e_ms":30', '"e2e_ms":1e999'))],
    ['no sample', json(recordOf([]))],
    ['fields of the wrong type', json({ ...liveRun(), generation: 7, warmup: 'x' })],
    ['a large part that can be read', json({ ...long, generation: null })],
    ['more problems than are listed', json(recordOf(Array.from({ length: 300 }, () => sample({ e2e_ms: 1 }))))],
    ['a newer version', json({ ...liveRun(), schema_version: 99 })],
    ['another JSON', json([1, 2])],
    ['half a record', json(liveRun()).subarray(0, 9000)],
    ['a key twice', utf8('{"model": {"id": "a", "id": "b"}}')],
    ['bytes that are not UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d)],
    ['zeros', new Uint8Array(64)],
    ['blanks', utf8('  \n')],
  ])('%s', async (_, bytes) => {
    const direct = openRecordOf(parseRecord(bytes, decodeUtf8));
    const { json: text, ...verdict } = await reader.check(bytes);
    expect(openedText(verdict, decodeUtf8(text))).toEqual(direct);
    if (direct.valid) expect(verdict.created_at).toBe(direct.record.created_at);
  });

  test('the text of a valid record is the file’s own', async () => {
    const bytes = json(largeRecord(), 2);
    const { json: text } = await reader.check(bytes);
    expect(text.buffer === bytes.buffer && text.length === bytes.length).toBe(true);
  });
});

test('each piece that is sent is a memory of its own, also of a file that was read into one', async () => {
  const memories: number[] = [];
  const watched = new RecordReader(() => {
    const host = forkNodeRecordWorker();
    const post = (message: unknown) => {
      const { bytes } = message as { bytes: Uint8Array | number };
      if (typeof bytes !== 'number') memories.push(bytes.buffer.byteLength);
      host.port.post(message);
    };
    return { ...host, port: { ...host.port, post } };
  });
  const text = Buffer.from(JSON.stringify(long));
  await watched.check(text);
  expect(memories).toEqual([PIECE_BYTES, text.length - PIECE_BYTES]);
});

describe('makes the same files as this process', () => {
  test.each(EXPORT_FORMATS.map(({ id }) => id))('%s', async (format) => {
    const request: ExportRequest = { id: 'x', format, scale: 1, theme: 'light' };
    const record = liveRun();
    const made = await reader.exportContent(json(record), request);
    expect(Buffer.compare(made, await exportFileContent(record, request))).toBe(0);
  });

  test('a refusal in the same words', async () => {
    const request: ExportRequest = { id: 'x', format: 'png', scale: 16, theme: 'light' };
    const record = liveRun();
    const direct = await exportFileContent(record, request).then(
      () => 'made',
      (error: unknown) => error,
    );
    const made = await reader.exportContent(json(record), request).then(
      () => 'made',
      (error: unknown) => error,
    );
    expect(lineOf(made)).toBe(lineOf(direct));
    expect(lineOf(made)).toContain('pixels');
  });
});

describe('an end of the process is one sentence', () => {
  const failure = (from: RecordReader, bytes = json(largeRecord())) =>
    from.check(bytes, '/a/large.json').then(
      () => 'read',
      (error: unknown) => lineOf(error),
    );
  const sentence = (reason: string) =>
    `/a/large.json: the record could not be read: the process that reads it ${reason} (its file is as it was; close other programs and open it again)`;

  test('that has met its bound of memory; the next file is read all the same', async () => {
    let heapMegabytes = 16;
    const bounded = new RecordReader(() => forkNodeRecordWorker(heapMegabytes));
    const many = recordOf(Array.from({ length: 200_000 }, () => sample()));
    expect(await failure(bounded, json(many))).toBe(sentence('ran out of memory'));
    heapMegabytes = 1000;
    expect(await bounded.check(json(many))).toMatchObject({ valid: true });
  });

  test('that was ended', async () => {
    const killed = new RecordReader(() => {
      const host = forkNodeRecordWorker();
      host.kill();
      return host;
    });
    expect(await failure(killed)).toBe(sentence('was ended by SIGKILL'));
  });

  test('that cannot be started', async () => {
    const missing = new RecordReader(() => forkNodeRecordWorker(100, join(temporaryFolder(), 'none.js')));
    expect(await failure(missing)).toBe(sentence('ended with exit code 1'));
  });

  test('by the end of the application, also for those that wait for their turn', async () => {
    const closing = new RecordReader(() => forkNodeRecordWorker());
    const both = [failure(closing), failure(closing)];
    await Promise.resolve();
    closing.close();
    expect(await Promise.all(both)).toEqual(['the application is closing', 'the application is closing']);
  });
});
