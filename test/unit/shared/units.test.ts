import { expect, test } from 'vitest';
import {
  bytes,
  count,
  countedInWords,
  decimal,
  ms,
  msValue,
  percent,
  rateValue,
  shortCount,
} from '../../../shared/units.ts';

test('times', () => {
  expect([0.312, 4.068, 36.399, 99.94, 349.489, 1607.2, 12_345].map(ms)).toEqual([
    '0.312 ms',
    '4.07 ms',
    '36.4 ms',
    '99.9 ms',
    '349 ms',
    '1,607 ms',
    '12.3 s',
  ]);
  expect([0.312, 36.399, 1144.114].map(msValue)).toEqual(['0.312', '36.4', '1,144.1']);
});

test('sizes, counts, rates and shares', () => {
  expect([512, 24_576, 1_976_131_072, 999_999].map(bytes)).toEqual(['512 B', '24.6 kB', '1.98 GB', '1.00 MB']);
  expect([24, 1204, 494_032_768].map(count)).toEqual(['24', '1,204', '494,032,768']);
  expect([985_216, 494_032_768, 1_540_000_000].map(shortCount)).toEqual(['985.2 k', '494.0 M', '1.54 B']);
  expect([41.506, 1203.797].map(rateValue)).toEqual(['41.5', '1,204']);
  expect([0, 0.001, 0.5, 0.9885, 0.9999, 1].map(percent)).toEqual(['0%', '<1%', '50%', '99%', '>99%', '100%']);
  expect([1, 2, 12].map((amount) => countedInWords(amount, 'stall'))).toEqual(['one stall', 'two stalls', '12 stalls']);
});

test('what is not known is a dash, and nothing is written as NaN', () => {
  for (const write of [ms, msValue, bytes, count, shortCount, rateValue, percent]) {
    expect(write(null)).toBe('–');
    expect(write(Number.NaN)).not.toContain('NaN');
  }
  expect(decimal(Infinity, 1)).toBe('infinite');
});
