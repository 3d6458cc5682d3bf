import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exactSum, isClose, mean, median, percentile, roundTo3 } from '../../../shared/statistics.ts';

interface Vectors {
  lists: { values: number[]; sum: number; mean: number; median: number; percentiles: [number, number][] }[];
  rounding: [number, number][];
  closeness: [number, number, number, boolean][];
}
const vectors = JSON.parse(
  readFileSync(new URL('../../fixtures/statistics/cpython.json', import.meta.url), 'utf8'),
) as Vectors;

describe('agreement with CPython, bit for bit', () => {
  test.each(vectors.lists.map((list, index) => ({ index, ...list })))('list $index', ({ values, ...expected }) => {
    expect(exactSum(values)).toBe(expected.sum);
    expect(mean(values)).toBe(expected.mean);
    expect(median(values)).toBe(expected.median);
    // The position among the values is rounded too: an error that grows with their number.
    const size = Math.max(...values.map(Math.abs));
    for (const [q, value] of expected.percentiles) {
      expect(Math.abs(percentile(values, q) - value)).toBeLessThanOrEqual((values.length + 4) * Number.EPSILON * size);
    }
  });

  test('round(x, 3), exact ties among them', () => {
    for (const [value, rounded] of vectors.rounding) expect([value, roundTo3(value)]).toEqual([value, rounded]);
    expect(Object.is(roundTo3(-0), -0)).toBe(true);
    expect([0.0625, 0.1875, -0.0625].map(roundTo3)).toEqual([0.062, 0.188, -0.062]);
  });

  test('math.isclose, with infinities and NaN', () => {
    for (const [a, b, tolerance, close] of vectors.closeness)
      expect([a, b, isClose(a, b, tolerance)]).toEqual([a, b, close]);
    expect(isClose(Infinity, Infinity)).toBe(true);
    expect(isClose(Infinity, -Infinity, Infinity)).toBe(false);
    expect(isClose(Infinity, 1, Infinity)).toBe(false);
    expect(isClose(Number.NaN, Number.NaN, Infinity)).toBe(false);
  });

  test('on fresh random numbers, where python3 is on the machine', () => {
    if (spawnSync('python3', ['--version']).error !== undefined) return;
    const lists = fc.sample(
      fc.array(fc.double({ noNaN: true, min: -1e300, max: 1e300 }), { minLength: 1, maxLength: 40 }),
      {
        numRuns: 200,
        seed: 7,
      },
    );
    const program =
      'import json,sys,math;print(json.dumps([[math.fsum(v),[round(x,3) for x in v]] for v in json.load(sys.stdin)]))';
    const output = execFileSync('python3', ['-c', program], { input: JSON.stringify(lists), encoding: 'utf8' });
    const answers = JSON.parse(output) as [number, number[]][];
    // JSON has no negative zero in JavaScript's writing, and a plain integer is the same number.
    lists.forEach((values, index) => {
      expect(exactSum(values) + 0).toBe((answers[index]?.[0] ?? Number.NaN) + 0);
      expect(values.map((value) => roundTo3(value) + 0)).toEqual(answers[index]?.[1].map((value) => value + 0));
    });
  });
});

describe('edges', () => {
  test('infinite and undefined sums', () => {
    expect(exactSum([])).toBe(0);
    expect(exactSum([1, Infinity])).toBe(Infinity);
    expect(exactSum([Infinity, -Infinity])).toBeNaN();
    expect(exactSum([1e308, 1e308])).toBe(Infinity);
  });

  test('no values have no mean, median or percentile', () => {
    for (const figure of [() => mean([]), () => median([]), () => percentile([], 0.5)])
      expect(figure).toThrow(RangeError);
    expect(() => percentile([1], 1.5)).toThrow('1.5');
  });

  test('a median of huge values does not overflow', () => {
    expect(median([1.5e308, 1.5e308])).toBe(1.5e308);
  });

  test('a percentile lies between its neighbours and grows with its share', () => {
    const values = fc.array(fc.double({ noNaN: true, min: 0, max: 1e6 }), { minLength: 1 });
    fc.assert(
      fc.property(
        values,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (list, a, b) => {
          const [low, high] = a < b ? [a, b] : [b, a];
          expect(percentile(list, low)).toBeLessThanOrEqual(percentile(list, high));
          expect(percentile(list, 0)).toBe(Math.min(...list));
          expect(percentile(list, 1)).toBe(Math.max(...list));
        },
      ),
    );
  });
});
