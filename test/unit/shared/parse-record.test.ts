import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { decodeUtf8 } from '../../../main/record-files.ts';
import { recordText } from '../../../shared/json-output.ts';
import { parseRecord, parseRecordOrThrow, parseRecordValue } from '../../../shared/parse-record.ts';
import { RECORD_VERSION, recordSchema } from '../../../shared/record.ts';
import { checkSchema } from '../../../shared/schema-check.ts';
import { UPGRADES } from '../../../shared/upgrade-record.ts';
import { LIVE_RUN, liveRun, parseText, problemsOf, recordOf, sample } from '../../support/records.ts';

function fixture(name: string): Uint8Array {
  return readFileSync(new URL(`../../fixtures/${name}`, import.meta.url));
}

describe('a record survives', () => {
  test.each(['valid/unknown-fields.json', 'valid/minimal.json', 'valid/one-token.json'])(
    '%s, byte for byte',
    (name) => {
      const bytes = fixture(name);
      expect(recordText(parseRecordOrThrow(bytes, decodeUtf8))).toBe(decodeUtf8(bytes));
    },
  );

  test("the reference lab's record, as JSON", () => {
    const saved = recordText(parseRecordOrThrow(readFileSync(LIVE_RUN), decodeUtf8));
    expect(JSON.stringify(JSON.parse(saved))).toBe(JSON.stringify(liveRun()));
  });

  test('and cannot be saved with a figure that JSON does not know', () => {
    expect(() => recordText(recordOf([sample({ ttft_ms: Number.NaN })]))).toThrow('JSON cannot hold the figure NaN');
  });
});

describe('versions', () => {
  test('none is 0, and needs no change', () => {
    const result = parseRecord(fixture('upgrades/version-0.json'), decodeUtf8);
    expect(result).toMatchObject({
      ok: true,
      version: 0,
      record: JSON.parse(decodeUtf8(fixture('upgrades/version-0.json'))) as object,
    });
  });

  test('there is a step from every older version', () => {
    expect(UPGRADES).toHaveLength(RECORD_VERSION);
  });

  test('a newer one is refused by name before anything else in it', () => {
    const result = parseRecord(fixture('upgrades/version-2.json'), decodeUtf8);
    expect(problemsOf(result)).toEqual([
      'schema_version: The record was written by a newer version of Tokenscope: the file has schema_version 2, this program reads up to 1',
    ]);
    expect(result).toMatchObject({ code: 'record-version', parts: { model: { id: 'model' }, runs: [] } });
  });

  test.each([-1, 1.5, '1', null])('%j is no version', (version) => {
    expect(problemsOf(parseRecordValue({ ...recordOf([sample()]), schema_version: version }))[0]).toMatch(
      /^schema_version: /,
    );
  });
});

describe('problems', () => {
  test.each([
    ['malformed/list.json', 'The file is JSON but not a record of a trace: it holds a list, a record is an object'],
    [
      'malformed/not-a-record.json',
      'The file is JSON but not a record of a trace: it has none of the fields model, generation, runs, batch_sweep, prefix_reuse',
    ],
    [
      'malformed/null-interval.json',
      'runs[0].samples[0].itl_ms[1]: Timing values must be finite and nonnegative: found null',
    ],
    [
      'malformed/text-interval.json',
      'runs[0].samples[0].itl_ms[1]: Timing values must be finite and nonnegative: found the text "12"',
    ],
    [
      'malformed/text-figure.json',
      'generation.max_new_tokens: The value has the wrong type: found the text "24", a number is expected',
    ],
    ['malformed/missing-field.json', 'runs[0].samples[0].generated_tokens: A required field is missing'],
  ])('%s', (name, line) => {
    expect(problemsOf(parseRecord(fixture(name), decodeUtf8))).toEqual([line]);
  });

  test('all of them, with their places, up to a hundred', () => {
    const record = { ...recordOf([sample(), sample()]), model: {}, runs: [{ name: 7, samples: [{}, null] }] };
    expect(problemsOf(parseRecordValue(record)).map((line) => line.split(': ')[0])).toEqual([
      'model.id',
      'runs[0].name',
      'runs[0].samples[0].generated_token_ids',
      'runs[0].samples[0].generated_tokens',
      'runs[0].samples[0].ttft_ms',
      'runs[0].samples[0].itl_ms',
      'runs[0].samples[0].e2e_ms',
      'runs[0].samples[1]',
    ]);
    const many = recordOf([sample({ itl_ms: Array.from({ length: 5000 }, () => null) as unknown as number[] })]);
    expect(problemsOf(parseRecordValue(many))).toHaveLength(100);
    expect(() => parseRecordOrThrow(new TextEncoder().encode(JSON.stringify(many)), decodeUtf8)).toThrow(
      '(and at least 99 more)',
    );
  });

  test('a field that only the prototype has is missing', () => {
    expect(problemsOf(parseText('{"runs":[],"__proto__":{"model":{"id":"x"}}}'))[0]).toBe(
      'model: A required field is missing',
    );
  });

  test('untrusted text in a message is quoted, cut and free of control characters', () => {
    const value = { ...recordOf([sample()]), status: `\u001b[31m${'x'.repeat(500)}` };
    const [line = ''] = problemsOf(parseRecordValue(value));
    expect(line).not.toContain('\u001b');
    expect(line.length).toBeLessThan(250);
  });
});

test("what only the prototype of an object has is not the file's", () => {
  expect(checkSchema(z.looseObject({ toString: z.string().optional() }), {})).toEqual({ ok: true, value: {} });
});

test('what can still be read of a refused record', () => {
  const record = recordOf([sample()], {
    runs: [
      { name: 'good', samples: [sample()] },
      { name: 'bad', samples: [{} as never] },
    ],
  });
  const result = parseRecordValue({ ...record, generation: 'greedy', environment: { device: 'cpu' } });
  expect(result).toMatchObject({
    ok: false,
    parts: {
      model: { id: 'model' },
      generation: null,
      environment: { device: 'cpu' },
      runs: [{ index: 0, run: { name: 'good' } }],
    },
  });
  expect(parseText('{"model":')).toMatchObject({ ok: false, parts: null });
});

test('the walk over the schema and zod itself come to the same verdict', () => {
  const paths = [
    ['model', 'id'],
    ['model', 'files'],
    ['model', 'revision'],
    ['generation', 'do_sample'],
    ['runs', 0],
    ['runs', 0, 'name'],
    ['runs', 1, 'samples', 2, 'itl_ms', 3],
    ['runs', 1, 'samples', 2, 'stop_reason'],
    ['runs', 3, 'samples', 0, 'chunk_size'],
    ['runs', 0, 'samples', 0, 'tpot_ms'],
    ['batch_sweep', 1, 'texts', 0],
    ['batch_sweep', 0, 'batch_size'],
    ['prefix_reuse'],
    ['warmup'],
    ['status'],
    ['load'],
    ['environment', 'threads'],
    ['plan'],
  ] as const;
  const value = fc.constantFrom<unknown>(
    undefined,
    null,
    0,
    -1,
    1.5,
    1e300,
    '',
    'eos',
    'complete',
    true,
    [],
    {},
    [1],
    [null],
    { id: 'x' },
  );
  fc.assert(
    fc.property(fc.constantFrom(...paths), value, (path, replacement) => {
      const record: unknown = liveRun();
      let parent = record as { [key: string | number]: unknown };
      for (const step of path.slice(0, -1)) parent = (parent[step] ??= {}) as typeof parent;
      parent[path.at(-1)!] = replacement;
      expect(parseRecordValue(record).ok).toBe(recordSchema.safeParse(record).success);
    }),
    { numRuns: 500 },
  );
});
