import fc from 'fast-check';
import { expect, test } from 'vitest';
import { drawWeights, poolOf, weightedPercentiles } from '../../../shared/pool.ts';
import { randomStream } from '../../../shared/random-stream.ts';
import { percentile } from '../../../shared/statistics.ts';

const shares = [0, 0.1, 0.5, 0.9, 0.95, 0.99, 1];

test('weighted percentiles are those of the list with each value as often as its weight', () => {
  const weighted = fc.array(fc.tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: 0, max: 4 })), {
    minLength: 1,
  });
  fc.assert(
    fc.property(weighted, (pairs) => {
      const sorted = pairs.toSorted(([x], [y]) => x - y);
      const list = sorted.flatMap(([value, times]) => Array.from({ length: times }, () => value));
      fc.pre(list.length > 0);
      const found = weightedPercentiles(
        Float64Array.from(sorted, ([value]) => value),
        Uint32Array.from(sorted, ([, times]) => times),
        list.length,
        shares,
      );
      expect(found).toEqual(shares.map((share) => percentile(list, share)));
    }),
  );
});

test('a pool keeps which sample each value came from', () => {
  const pool = poolOf([[3, 1], [2], [], [1, 4]]);
  expect([...pool.sorted]).toEqual([1, 1, 2, 3, 4]);
  expect([...pool.owner]).toEqual([0, 3, 1, 0, 3]);
  expect(pool.places.map((places) => [...places])).toEqual([[0, 3], [2], [], [1, 4]]);
});

test('drawing samples takes all values of a sample equally often', () => {
  const pool = poolOf([
    [1, 5],
    [2, 3],
    [4, 6],
  ]);
  const weights = new Uint32Array(6);
  const seen = new Set<string>();
  for (let round = 0; round < 200; round += 1) {
    const total = drawWeights(pool, 'samples', randomStream(1, round), weights);
    expect(total).toBe(6);
    for (const places of pool.places) expect(weights[places[0]!]).toBe(weights[places[1]!]);
    seen.add(weights.join());
  }
  expect(seen.size).toBe(10);
});

test('drawing values within samples too draws as many values as the drawn samples have', () => {
  const pool = poolOf([
    [1, 5, 7],
    [2, 3, 9],
  ]);
  const weights = new Uint32Array(6);
  expect(drawWeights(pool, 'samples, then values within them', randomStream(3, 1), weights)).toBe(6);
  expect(weights.reduce((sum, weight) => sum + weight, 0)).toBe(6);
});

test('a stream gives the same numbers again, and another stream others, spread evenly over [0, 1)', () => {
  const take = (seed: number, stream: number, count: number) => {
    const random = randomStream(seed, stream);
    return Array.from({ length: count }, random);
  };
  expect(take(1, 2, 50)).toEqual(take(1, 2, 50));
  expect(take(1, 2, 50)).not.toEqual(take(1, 3, 50));
  expect(take(2, 2, 50)).not.toEqual(take(1, 2, 50));
  const many = take(5, 5, 100_000);
  const tenths = Array.from({ length: 10 }, () => 0);
  for (const value of many) tenths[Math.floor(value * 10)]! += 1;
  for (const count of tenths) expect(Math.abs(count - 10_000)).toBeLessThan(400);
});
