import { expect, test } from 'vitest';
import { samplesCsv, tokensCsv } from '../../../../shared/export/csv.ts';
import { HOSTILE, madeUpRecord, madeUpSample } from '../../../support/report-records.ts';
import { liveRun } from '../../../support/records.ts';

const rows = (csv: string) => csv.trimEnd().split('\n');

test('one row for each token, the last at the end of the request', () => {
  const record = liveRun();
  const [header, ...tokens] = rows(tokensCsv(record));
  expect(header).toBe('run,sample,index,token_id,text,at_ms,itl_ms,phase');
  expect(tokens).toHaveLength(
    record.runs.flatMap(({ samples }) => samples).reduce((sum, sample) => sum + sample.generated_tokens, 0),
  );
  expect(tokens[0]).toBe('short_cached,0,0,4498,,36.971,,wait');
  expect(tokens[1]).toBe('short_cached,0,1,264,,61.688,24.717,decode');
  expect(tokens[23]).toBe('short_cached,0,23,315,,907.318,28.559,decode');
});

test('one row for each sample', () => {
  const [header, first, ...others] = rows(samplesCsv(liveRun()));
  expect(header).toBe(
    'run,sample,prompt_tokens,generated_tokens,stop_reason,use_cache,chunk_size,logits,max_new_tokens,tokenization_ms,ttft_ms,tpot_ms,e2e_ms,stalls,observer_ms,text',
  );
  expect(first).toMatch(/^short_cached,0,44,24,length,true,,,,0\.42,36\.971,37\.841,907\.318,2,,"When a code/);
  expect(others).toHaveLength(14);
});

test('no text runs as a formula, breaks a row or ends a cell', () => {
  const texts = [
    '=1+1',
    '+cmd',
    '-2+3',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    'a,b',
    'say "hi"',
    'two\nlines',
    HOSTILE,
    '-5',
    '',
  ];
  const sample = madeUpSample({ tokens: texts.length, more: { token_texts: texts } });
  const csv = tokensCsv(madeUpRecord([{ name: '=cmd|calc', samples: [sample] }]));
  const cells = parseCsv(csv).slice(1);
  expect(cells).toHaveLength(texts.length);
  for (const row of cells) expect(row).toHaveLength(8);
  expect(new Set(cells.map(([run]) => run))).toEqual(new Set(["'=cmd|calc"]));
  expect(cells.map((row) => row[4])).toEqual([
    "'=1+1",
    "'+cmd",
    "'-2+3",
    "'@SUM(A1)",
    "'\t=1",
    "'\r=1",
    'a,b',
    'say "hi"',
    'two\nlines',
    HOSTILE,
    '-5',
    '',
  ]);
});

/** RFC 4180. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/g)) {
    row.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === '\n') {
      rows.push(row);
      row = [];
    }
  }
  return rows;
}
