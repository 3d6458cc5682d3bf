import { expect, test } from 'vitest';
import { definitionLens } from '../../../shared/definitions.ts';
import { liveRun } from '../../support/records.ts';

const figures = (sample: Parameters<typeof definitionLens>[0]) =>
  Object.fromEntries(definitionLens(sample).map(({ formula, ms }) => [formula, ms]));

test('one reply under the formulas of other tools', () => {
  // Four tokens at 120, 140, 180 and 200 ms.
  expect(figures({ ttft_ms: 120, itl_ms: [20, 40, 20], e2e_ms: 200, generated_tokens: 4 })).toEqual({
    'mean(itl)': 26.667,
    '(last - first) / (n - 1)': 26.667,
    '(last - first) / n': 20,
    'last / n': 50,
    'p50(itl), linear': 20,
    'p50(itl), sorted[floor(n * 0.5)]': 20,
    'p50(itl), inverse of the cumulative distribution': 20,
  });
});

test('the median of 10, 20, 30, 40 is 25, 30 or 20, by who takes it', () => {
  const found = figures({ ttft_ms: 5, itl_ms: [40, 10, 30, 20], e2e_ms: 105, generated_tokens: 5 });
  expect(found['p50(itl), linear']).toBe(25);
  expect(found['p50(itl), sorted[floor(n * 0.5)]']).toBe(30);
  expect(found['p50(itl), inverse of the cumulative distribution']).toBe(20);
});

test('a reply of one token has no pace, but a whole time', () => {
  const lens = definitionLens({ ttft_ms: 12, itl_ms: [], e2e_ms: 12, generated_tokens: 1 });
  expect(lens.filter(({ ms }) => ms !== null).map(({ formula, ms }) => [formula, ms])).toEqual([
    ['(last - first) / n', 0],
    ['last / n', 12],
  ]);
  expect(
    definitionLens({ ttft_ms: 12, itl_ms: [], e2e_ms: 12, generated_tokens: 0 }).every(({ ms }) => ms === null),
  ).toBe(true);
});

test('each formula names the tools that print it, and ours are marked', () => {
  const lens = definitionLens(liveRun().runs[0]!.samples[0]!);
  for (const { tools } of lens) expect(tools).not.toBe('');
  expect(lens.filter(({ ours }) => ours !== null).map(({ ours, ms }) => [ours, ms])).toEqual([
    ['TPOT', 37.841],
    ['ITL p50', 24.522],
  ]);
});
