import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type AnalyzeFormat, analyze } from '../../../../main/cli/analyze.ts';
import { recordText } from '../../../../shared/json-output.ts';
import { cells } from '../../../../shared/text-table.ts';
import { LIVE_RUN, recordOf, sample } from '../../../support/records.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const live = fileURLToPath(LIVE_RUN);
const folder = temporaryFolder();

function fixture(name: string): string {
  return fileURLToPath(new URL(`../../../fixtures/${name}`, import.meta.url));
}

async function run(files: string[], format: AnalyzeFormat = 'json', columns?: number) {
  const out: string[] = [];
  const err: string[] = [];
  const io = { stdout: (text: string) => out.push(text), stderr: (text: string) => err.push(text) };
  const code = await analyze(files, format, columns === undefined ? io : { ...io, columns });
  return { code, stdout: out.join(''), stderr: err.join('') };
}

describe('json', () => {
  test("of the reference lab's record is the reference lab's value and nothing else", async () => {
    const { code, stdout, stderr } = await run([live]);
    const expected: unknown = JSON.parse(readFileSync(fixture('valid/live-run.summary.json'), 'utf8'));
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.stringify(JSON.parse(stdout))).toBe(JSON.stringify(expected));
  });

  test('of several files is a list, of those that could be read', async () => {
    const minimal = fixture('valid/minimal.json');
    const two = await run([live, minimal]);
    expect(JSON.parse(two.stdout)).toMatchObject([
      { comparisons: { short_cached: {} } },
      { comparisons: { run: { samples: 1 } } },
    ]);
    const bad = await run([fixture('malformed/nan.json'), minimal]);
    expect(JSON.parse(bad.stdout)).toMatchObject([{ model: { id: 'model' } }]);
    expect(bad.code).toBe(1);
  });

  test('full-json adds the summary', async () => {
    const { stdout } = await run([live], 'full-json');
    const value = JSON.parse(stdout) as object;
    expect(Object.keys(value)).toEqual([
      'execution_mode',
      'model',
      'generation',
      'comparisons',
      'batch_sweep',
      'prefix_reuse',
      'summary',
    ]);
    expect(value).toMatchObject({
      summary: {
        runs: [{ name: 'short_cached', stalls: { count: 2 } }, {}, {}, {}, {}],
        notes: [{ kind: 'few-samples' }],
      },
    });
  });
});

describe('a refused file is one line and nothing on stdout', () => {
  test.each([
    ['empty.json', 'the file is empty'],
    [
      'truncated.json',
      'runs[0].samples[0]: The text is not valid JSON: the file ends where a key in quotation marks is expected, inside the object that opens at line 15, column 9',
    ],
    ['not-json.txt', 'The text is not valid JSON: line 1, column 1: found "TTFT" where a value is expected'],
    ['list.json', 'The file is JSON but not a record of a trace: it holds a list, a record is an object'],
    [
      'not-a-record.json',
      'The file is JSON but not a record of a trace: it has none of the fields model, generation, runs, batch_sweep, prefix_reuse',
    ],
    ['latin-1.json', 'runs[0].name: The file is not UTF-8 text: an invalid byte, 0xFC, at line 13, column 17'],
    ['nan.json', 'runs[0].samples[0].ttft_ms: NaN and Infinity are not JSON numbers: found NaN at line 22, column 22'],
    [
      'infinity.json',
      'runs[0].samples[0].e2e_ms: NaN and Infinity are not JSON numbers: found -Infinity at line 23, column 21',
    ],
    [
      'duplicate-key.json',
      'runs[0].samples[0].ttft_ms: The same key appears twice in one object: "ttft_ms" again at line 23, column 11',
    ],
    [
      'text-figure.json',
      'generation.max_new_tokens: The value has the wrong type: found the text "24", a number is expected',
    ],
    ['missing-field.json', 'runs[0].samples[0].generated_tokens: A required field is missing'],
    ['null-interval.json', 'runs[0].samples[0].itl_ms[1]: Timing values must be finite and nonnegative: found null'],
    [
      'text-interval.json',
      'runs[0].samples[0].itl_ms[1]: Timing values must be finite and nonnegative: found the text "12"',
    ],
    ['negative.json', 'runs[0].samples[0].ttft_ms: Timing values must be finite and nonnegative: found -10'],
    ['huge.json', 'runs[0].samples[0].e2e_ms: Timing values must be finite and nonnegative: found Infinity'],
    ['no-sample.json', 'runs[0]: At least one completed generation is required: 0 samples found'],
    ['token-count.json', 'runs[0].samples[0]: Token count mismatch: generated_tokens is 4, 3 token ids found'],
    ['end-before-first-token.json', 'runs[0].samples[0]: Invalid token timing: e2e_ms 2 is before ttft_ms 10'],
    [
      'missing-interval.json',
      'runs[0].samples[0]: Missing token intervals: 2 intervals expected for 3 tokens, 1 found',
    ],
    [
      'unaccounted.json',
      'runs[0].samples[0]: Intervals do not account for end-to-end timing: the intervals sum to 20 ms, e2e_ms - ttft_ms is 21 ms (tolerance 0.004 ms)',
    ],
    [
      '../upgrades/version-2.json',
      'schema_version: The record was written by a newer version of Tokenscope: the file has schema_version 2, this program reads up to 1 (open it with that version or a newer one)',
    ],
    ['', 'this is a folder, not a file'],
    ['none.json', 'there is no such file'],
  ])('%s', async (name, line) => {
    const file = fixture(`malformed/${name}`);
    for (const format of ['json', 'table', 'csv'] as const) {
      expect(await run([file], format)).toEqual({ code: 1, stdout: '', stderr: `${file}: ${line}\n` });
    }
  });
});

describe('tables', () => {
  test.each([80, 120])('in %i columns every line fits, and the columns of figures are aligned', async (columns) => {
    const { stdout } = await run([live, fixture('valid/one-token.json')], 'table', columns);
    const lines = stdout.split('\n');
    expect(Math.max(...lines.map(cells))).toBeLessThanOrEqual(columns);
    const header = lines.find((line) => line.startsWith('Run '))!;
    const end = header.indexOf('TTFT ms') + 'TTFT ms'.length;
    const rows = lines.filter((line) => /^(short|long|cancelled)\S*\s+3 /.test(line));
    expect(rows).toHaveLength(5);
    for (const row of rows) expect(row.slice(end - 4, end + 1)).toMatch(/\d\.\d\s$/);
  });

  test('the table of the reference lab', async () => {
    expect((await run([live], 'table', 80)).stdout).toMatchSnapshot();
    expect((await run([live], 'table', 120)).stdout).toMatchSnapshot();
    expect((await run([live], 'markdown')).stdout).toMatchSnapshot();
    expect((await run([live], 'csv')).stdout).toMatchSnapshot();
  });

  test('names that attack a terminal, a Markdown table or a spreadsheet do nothing', async () => {
    const names = [
      '\u001b[2J\u0007clear',
      'a|b`c`<script>',
      '=HYPERLINK("x")',
      'two\nlines',
      '\u202Ereversed',
      '長い名前 🎉',
      'x'.repeat(300),
    ];
    const file = join(folder, 'names.json');
    writeFileSync(file, recordText(recordOf([], { runs: names.map((name) => ({ name, samples: [sample()] })) })));
    const table = (await run([file], 'table', 80)).stdout;
    expect(table).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u202E]/);
    const rows = table.split('\n').slice(3, 3 + names.length);
    expect(new Set(rows.map(cells)).size).toBe(1);
    expect((await run([file], 'markdown')).stdout).toContain('| a\\|b\\`c\\`\\<script\\> |');
    const csv = (await run([file], 'csv')).stdout;
    expect(csv).toContain('\n"\'=HYPERLINK(""x"")",1,');
    expect(csv).toContain('\n"two\nlines",1,');
  });

  test('csv of several files names the file of each row', async () => {
    const minimal = fixture('valid/minimal.json');
    const { stdout } = await run([minimal, live], 'csv');
    const [header = '', first = '', ...rest] = stdout.trim().split('\n');
    expect(header.split(',').slice(0, 3)).toEqual(['file', 'run', 'samples']);
    expect(first.split(',').slice(0, 3)).toEqual([minimal, 'run', '1']);
    expect(rest).toHaveLength(5);
  });

  test('a record without runs, and one with nothing but the fields it needs', async () => {
    const file = join(folder, 'no-runs.json');
    writeFileSync(file, recordText(recordOf([], { runs: [], status: 'cancelled' })));
    const { code, stdout } = await run([file], 'table');
    expect([code, stdout.includes('No run was measured.')]).toEqual([0, true]);
    const minimal = await run([fixture('valid/minimal.json')], 'table');
    expect(minimal.stdout).not.toMatch(/NaN|undefined|null|Infinity/);
    expect(minimal.stdout).toMatch(/–\s+marks\s+what\s+was\s+not\s+measured\./);
  });
});
