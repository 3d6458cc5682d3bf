import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { beforeAll, describe, expect, test } from 'vitest';
import { recordOf } from '../../../support/records.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

/**
 * Files of 200 MB, made here and deleted again. Each is analyzed by a process of its own whose JavaScript heap is
 * bounded: one that tried to build a hostile file's values would end with an out-of-memory trap instead of a line.
 */

const TARGET_BYTES = 200_000_000;
const MINUTES = 60_000;
const folder = temporaryFolder();
const program = join(folder, 'analyze.mjs');

beforeAll(async () => {
  const source = join(folder, 'entry.mjs');
  const analyze = join(import.meta.dirname, '../../../../main/cli/analyze.ts');
  writeFileSync(
    source,
    `import { analyze } from ${JSON.stringify(analyze)};
     const io = { stdout: (text) => process.stdout.write(text), stderr: (text) => process.stderr.write(text) };
     process.exitCode = await analyze([process.argv[2]], 'json', io);`,
  );
  await build({
    configFile: false,
    logLevel: 'error',
    root: join(import.meta.dirname, '../../../..'),
    ssr: { noExternal: true },
    build: {
      ssr: source,
      outDir: folder,
      emptyOutDir: false,
      rolldownOptions: { output: { entryFileNames: 'analyze.mjs' } },
    },
  });
});

/** Writes `head`, then `piece` until the file has its 200 MB, then `tail`; runs the analyzer and deletes the file. */
function analyzeLarge(head: string, piece: string, tail: string, heapMegabytes: number) {
  const path = join(folder, 'large.json');
  const file = openSync(path, 'w');
  const block = piece.repeat(Math.ceil(1_000_000 / piece.length));
  writeSync(file, head);
  for (let written = 0; written < TARGET_BYTES; written += block.length) writeSync(file, block);
  writeSync(file, tail);
  closeSync(file);
  try {
    const { status, signal, stdout, stderr } = spawnSync(
      process.execPath,
      [`--max-old-space-size=${heapMegabytes}`, program, path],
      {
        encoding: 'utf8',
      },
    );
    return { status, signal, stdout, stderr: stderr.replaceAll(path, 'FILE') };
  } finally {
    rmSync(path);
  }
}

const [before = '', after = ''] = JSON.stringify(
  recordOf([], { runs: [{ name: 'large', samples: ['@' as never] }] }),
).split('"@"');

describe('hostile', () => {
  const intervals = '{"generated_tokens":3,"generated_token_ids":[4,5,6],"ttft_ms":10,"e2e_ms":30,"itl_ms":[';
  test.each([
    ['a hundred million open brackets', '', '[', '', 'The JSON is nested too deeply: at most 64 levels'],
    ['objects inside objects', '', '{"a":', '', 'The JSON is nested too deeply: at most 64 levels'],
    ['tiny objects', '[', '{},', '{}]', 'more than 8000000 objects and lists'],
    ['tiny lists', '[', '[],', '[]]', 'more than 8000000 objects and lists'],
    ['tiny numbers', '[', '1,', '1]', 'more than 40000000 values'],
    ['nulls where intervals belong', before + intervals, 'null,', `null]}${after}`, 'more than 40000000 values'],
    [
      'one string without an end',
      '{"model":"',
      'x',
      '',
      'the file ends inside the string that opens at line 1, column 10',
    ],
    ['one key without an end', '{"', 'k', '', 'the file ends inside the string that opens at line 1, column 2'],
    ['one key of 200 MB', '{"', 'k', '":1}', 'is longer than 1000 bytes'],
    ['blanks', '', ' ', '', 'The file is empty: only white space'],
    ['zero bytes', '', '\0', '', 'found the control character 0x00 where a value is expected'],
  ])(
    '%s: one line, in little memory',
    (_name, head, piece, tail, reason) => {
      const { status, signal, stdout, stderr } = analyzeLarge(head, piece, tail, 64);
      expect({ status, signal, stdout, lines: stderr.split('\n').length }).toEqual({
        status: 1,
        signal: null,
        stdout: '',
        lines: 2,
      });
      expect(stderr.startsWith('FILE: ')).toBe(true);
      expect(stderr).toContain(reason);
    },
    5 * MINUTES,
  );
});

describe('valid', () => {
  test(
    'a record of 200 MB is analyzed',
    () => {
      const sample = JSON.stringify(
        {
          generated_token_ids: Array.from({ length: 24 }, (_, index) => 4000 + index),
          generated_tokens: 24,
          stop_reason: 'length',
          tokenization_ms: 0.5,
          ttft_ms: 36.25,
          itl_ms: Array.from({ length: 23 }, () => 24.125),
          e2e_ms: 36.25 + 23 * 24.125,
        },
        null,
        2,
      );
      const { status, stderr, stdout } = analyzeLarge(before, `${sample},\n`, sample + after, 2048);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(JSON.parse(stdout)).toMatchObject({
        comparisons: { large: { median_ttft_ms: 36.25, median_tpot_ms: 24.125 } },
      });
    },
    10 * MINUTES,
  );
});
