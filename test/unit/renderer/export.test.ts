import { expect, test } from 'vitest';
import { parseScale } from '../../../renderer/report/export-choice.ts';
import { recordId } from '../../../renderer/report/record-id.ts';
import { textPreview } from '../../../renderer/report/text-preview.ts';
import { recordId as recordIdOfMain } from '../../../main/report.ts';
import { summarizeRecord } from '../../../shared/summarize.ts';
import { EMPTY_TRACE } from '../../../renderer/trace/lane.ts';
import { madeUpRecord, madeUpSample } from '../../support/report-records.ts';

const opened = (tokens: number) => {
  const record = madeUpRecord([{ name: 'one', samples: [madeUpSample({ tokens })] }]);
  const result = summarizeRecord(record);
  if (!result.ok) throw new Error('the record was refused');
  return { status: 'ready' as const, record, summary: result.summary, trace: EMPTY_TRACE };
};

test('the page names a record by the same hash as the command line', async () => {
  const { record } = opened(8);
  const id = await recordId(record);
  expect(id).toBe(recordIdOfMain(record));
  expect(id).toMatch(/^[0-9a-f]{64}$/);
});

test.each([
  ['2', 2],
  ['1.5', 1.5],
  ['1,5', 1.5],
  ['0.1', 0.1],
  ['16', 16],
])('a scale of %s is %d', (text, scale) => {
  expect(parseScale(text)).toEqual({ ok: true, scale });
});

test.each(['', ' ', '0', '17', 'two', '-1', 'NaN', 'Infinity'])('a scale of "%s" is told what it may be', (text) => {
  expect(parseScale(text)).toEqual({ ok: false, problem: 'a number from 0.1 to 16' });
});

test('a preview is the beginning of the file, and says when there is more', () => {
  const short = textPreview(opened(4), 'csv');
  expect(short.split('\n')[0]).toBe('run,sample,index,token_id,text,at_ms,itl_ms,phase');
  expect(short).not.toContain('…');
  expect(textPreview(opened(400), 'csv').endsWith('\n…')).toBe(true);
  expect(textPreview(opened(4), 'record')).toContain('"generated_tokens": 4');
});

test('a record of many tokens is not written only to be looked at', () => {
  expect(textPreview(opened(20_001), 'csv')).toMatch(/^20,001 tokens: too many/);
});
