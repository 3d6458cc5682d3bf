import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TokenscopeError } from '../../../shared/errors.ts';
import { jsonText } from '../../../shared/json-output.ts';
import { parseRecordValue } from '../../../shared/parse-record.ts';
import { problemLine } from '../../../shared/problem.ts';
import type { Sample } from '../../../shared/record.ts';
import { REFUSALS, recordRefusals } from '../../../shared/refusals.ts';
import { referenceSummary, summarizeRecord } from '../../../shared/summarize.ts';
import { labVerdict } from '../../support/lab-rules.ts';
import { liveRun, recordOf, sample } from '../../support/records.ts';

function refusalsOf(samples: Sample[]): string[] {
  return recordRefusals(recordOf(samples)).map(problemLine);
}

describe('refusals', () => {
  test('their words are the interface', () => {
    expect(Object.values(REFUSALS)).toEqual([
      'At least one completed generation is required',
      'Timing values must be finite and nonnegative',
      'Token count mismatch',
      'Invalid token timing',
      'Missing token intervals',
      'Intervals do not account for end-to-end timing',
    ]);
  });

  test.each([
    [[], 'runs[0]: At least one completed generation is required: 0 samples found'],
    [
      [sample({ ttft_ms: Infinity })],
      'runs[0].samples[0].ttft_ms: Timing values must be finite and nonnegative: found Infinity',
    ],
    [
      [sample({ e2e_ms: Number.NaN })],
      'runs[0].samples[0].e2e_ms: Timing values must be finite and nonnegative: found NaN',
    ],
    [
      [sample({ itl_ms: [8, -12] })],
      'runs[0].samples[0].itl_ms[1]: Timing values must be finite and nonnegative: found -12',
    ],
    [
      [sample({ generated_tokens: 2 })],
      'runs[0].samples[0]: Token count mismatch: generated_tokens is 2, 3 token ids found',
    ],
    [[sample({ e2e_ms: 2 })], 'runs[0].samples[0]: Invalid token timing: e2e_ms 2 is before ttft_ms 10'],
    [
      [sample({ itl_ms: [8] })],
      'runs[0].samples[0]: Missing token intervals: 2 intervals expected for 3 tokens, 1 found',
    ],
    [
      [sample({ itl_ms: [8, 11] })],
      'runs[0].samples[0]: Intervals do not account for end-to-end timing: the intervals sum to 19 ms, e2e_ms - ttft_ms is 20 ms (tolerance 0.004 ms)',
    ],
  ])('%#', (samples, line) => {
    expect(refusalsOf(samples)).toEqual([line]);
    expect(() => referenceSummary(recordOf(samples))).toThrow(TokenscopeError);
  });

  test('each rule comes before the next: a sample that breaks them all is refused for one after the other', () => {
    const broken: Partial<Sample>[] = [
      { itl_ms: [Number.NaN], generated_tokens: 9, e2e_ms: 2 },
      { itl_ms: [1], generated_tokens: 9, e2e_ms: 2 },
      { itl_ms: [1], e2e_ms: 2 },
      { itl_ms: [1] },
      { itl_ms: [1, 1] },
    ];
    const reasons = broken.map((changes) => recordRefusals(recordOf([sample(changes)]))[0]?.reason);
    expect(reasons).toEqual([
      REFUSALS.timing,
      REFUSALS.tokenCount,
      REFUSALS.tokenTiming,
      REFUSALS.intervals,
      REFUSALS.sum,
    ]);
  });

  test('samples are asked in their order: the first false one is first, whatever its rule', () => {
    const record = recordOf([sample(), sample({ itl_ms: [8] }), sample({ ttft_ms: -1 })]);
    record.runs.push({ name: 'empty', samples: [] });
    expect(recordRefusals(record).map(({ path, reason }) => [path, reason])).toEqual([
      ['runs[0].samples[1]', REFUSALS.intervals],
      ['runs[0].samples[2].ttft_ms', REFUSALS.timing],
      ['runs[1]', REFUSALS.noSample],
    ]);
    expect(recordRefusals(record, 1)).toHaveLength(1);
  });

  test('the tolerance is 0.002 ms for each interval, or 1e-9 of the time', () => {
    expect(refusalsOf([sample({ itl_ms: [8, 12.0039] })])).toEqual([]);
    expect(refusalsOf([sample({ itl_ms: [8, 12.0041] })])).toHaveLength(1);
    const one = { generated_token_ids: [4], generated_tokens: 1, itl_ms: [] };
    expect(refusalsOf([sample({ ...one, e2e_ms: 10.0019 })])).toEqual([]);
    expect(refusalsOf([sample({ ...one, e2e_ms: 10.0021 })])).toHaveLength(1);
    expect(refusalsOf([sample({ ttft_ms: 0, itl_ms: [5e9, 5e9], e2e_ms: 1e10 + 9 })])).toEqual([]);
    expect(refusalsOf([sample({ ttft_ms: 0, itl_ms: [5e9, 5e9], e2e_ms: 1e10 + 11 })])).toHaveLength(1);
  });

  test('a sum beyond the largest double is refused, not a crash', () => {
    expect(refusalsOf([sample({ ttft_ms: 0, itl_ms: [1.7e308, 1.7e308], e2e_ms: 1.7e308 })])[0]).toContain(
      REFUSALS.sum,
    );
  });

  test('batches and prefix reuse with times that cannot be', () => {
    const record = liveRun();
    record.batch_sweep[1]!.elapsed_ms = -1;
    record.prefix_reuse!.cold_prefill_ms = Infinity;
    expect(recordRefusals(record).map(problemLine)).toEqual([
      'batch_sweep[1].elapsed_ms: Timing values must be finite and nonnegative: found -1',
      'prefix_reuse.cold_prefill_ms: Timing values must be finite and nonnegative: found Infinity',
    ]);
  });
});

describe('the reference summary', () => {
  test("the reference lab's record gives the reference lab's value: figures, fields and their order", () => {
    const expected = readFileSync(new URL('../../fixtures/valid/live-run.summary.json', import.meta.url), 'utf8');
    const text = jsonText(referenceSummary(liveRun()));
    expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify(JSON.parse(expected)));
    // The one difference in writing: CPython writes 4.506111145019531e-05.
    expect(text.replace('0.00004506111145019531', '4.506111145019531e-05')).toBe(expected);
  });

  test('a reply of one token has no TPOT, and counts for none', () => {
    const one = sample({ generated_token_ids: [4], generated_tokens: 1, itl_ms: [], e2e_ms: 10 });
    expect(referenceSummary(recordOf([one])).comparisons.get('run')).toEqual({
      samples: 1,
      median_ttft_ms: 10,
      median_tpot_ms: null,
    });
    expect(referenceSummary(recordOf([one, sample()])).comparisons.get('run')?.median_tpot_ms).toBe(10);
  });

  test('runs keep their order and their odd names, and of two with one name the later counts in the first place', () => {
    const runs = ['2', 'b', '1', '__proto__', 'b'].map((name, index) => ({
      name,
      samples: Array.from({ length: index + 1 }, () => sample()),
    }));
    const text = jsonText(referenceSummary(recordOf([], { runs })));
    const names = [...text.matchAll(/^ {4}"(.+)": \{\n {6}"samples": (\d)/gm)].map((match) => [match[1], match[2]]);
    expect(names).toEqual([
      ['2', '1'],
      ['b', '5'],
      ['1', '3'],
      ['__proto__', '4'],
    ]);
  });

  test('no runs are no refusal', () => {
    expect(jsonText(referenceSummary(recordOf([], { runs: [] })))).toContain('"comparisons": {},');
  });

  test('a figure that JSON cannot hold is an error with its place, never a null', () => {
    expect(() => jsonText({ a: [1, { b: Infinity }] })).toThrow('JSON cannot hold the figure Infinity');
  });
});

describe('a second, independent reading of the rules', () => {
  const time = fc.oneof(
    { weight: 6, arbitrary: fc.double({ min: 0, max: 500, noNaN: true }) },
    fc.constantFrom<unknown>(0, -0, -1, 1e300, 1.7e308, Infinity, Number.NaN, null, '12', 5e-324),
  );
  const tokens = fc.array(fc.nat(200_000), { maxLength: 8 });
  /** A sample that is true by its making: stamps in order, stored with 3 decimals. */
  const trueSample = fc
    .tuple(tokens, fc.array(fc.double({ min: 0, max: 400, noNaN: true }), { minLength: 9, maxLength: 9 }))
    .map(([ids, steps]) => {
      const stamps = steps
        .slice(0, Math.max(1, ids.length))
        .reduce<number[]>((all, step) => [...all, (all.at(-1) ?? 0) + step], []);
      const round = (value: number): number => Number(value.toFixed(3));
      return {
        generated_token_ids: ids,
        generated_tokens: ids.length,
        ttft_ms: round(stamps[0] ?? 0),
        e2e_ms: round(stamps.at(-1) ?? 0),
        itl_ms: stamps.slice(1).map((stamp, index) => round(stamp - (stamps[index] ?? 0))),
      };
    });
  const mutation = fc.oneof(
    fc.record({ field: fc.constantFrom('ttft_ms', 'e2e_ms'), value: time }),
    fc.record({ field: fc.constant('generated_tokens'), value: fc.integer({ min: -2, max: 9 }) }),
    fc.record({ field: fc.constant('itl_ms'), value: fc.array(time, { maxLength: 8 }) }),
    fc.record({ field: fc.constant('generated_token_ids'), value: tokens }),
    fc.record({ field: fc.constant('nudge'), value: fc.double({ min: -0.03, max: 0.03, noNaN: true }) }),
  );
  const mutated = fc.tuple(trueSample, fc.array(mutation, { maxLength: 2 })).map(([original, mutations]) => {
    const result: { [field: string]: unknown } = { ...original };
    for (const { field, value } of mutations) {
      if (field === 'nudge') result.e2e_ms = Number(result.e2e_ms) + value;
      else result[field] = value;
    }
    return result;
  });

  test('both accept every true record', () => {
    fc.assert(
      fc.property(fc.array(trueSample, { minLength: 1, maxLength: 4 }), (samples) => {
        expect(labVerdict(samples)).toBeNull();
        expect(refusalsOf(samples)).toEqual([]);
      }),
    );
  });

  test('both refuse for the same reason, or both accept', () => {
    const seen = new Set<string | null>();
    fc.assert(
      fc.property(fc.array(mutated, { maxLength: 3 }), (samples) => {
        const verdict = labVerdict(samples);
        seen.add(verdict);
        const [refusal] = recordRefusals(recordOf(samples as unknown as Sample[]), 1);
        expect(refusal?.reason ?? null).toBe(verdict === null ? null : REFUSALS[verdict]);
      }),
      { numRuns: 3000, seed: 1 },
    );
    expect(seen.size).toBe(7);
  });

  test('from JSON as well: what is read and refused by neither schema nor summarizer, the lab accepts, and it summarizes', () => {
    fc.assert(
      fc.property(fc.array(mutated, { minLength: 1, maxLength: 3 }), (samples) => {
        const value: unknown = JSON.parse(JSON.stringify(recordOf(samples as unknown as Sample[])));
        const parsed = parseRecordValue(value);
        const ours = parsed.ok && summarizeRecord(parsed.record).ok;
        const read = (value as { runs: { samples: { [field: string]: unknown }[] }[] }).runs[0]!.samples;
        expect(ours).toBe(labVerdict(read) === null);
        if (!parsed.ok) return;
        const result = summarizeRecord(parsed.record);
        if (result.ok) expect(jsonText(result.summary)).not.toMatch(/NaN|Infinity|undefined/);
      }),
      { numRuns: 1000 },
    );
  });
});
