import { expect, test } from 'vitest';
import fc from 'fast-check';
import { argmax } from '../../../../main/inference/argmax.ts';

const of = (...values: number[]) => argmax(Float32Array.from(values), 0, values.length);

test('the first of equals', () => {
  expect(of(1, 3, 3, 2)).toBe(1);
  expect(of(-0, 0)).toBe(0);
  expect(of(7)).toBe(0);
});

test('values below zero, infinities and NaN', () => {
  expect(of(-5, -2, -9)).toBe(1);
  expect(of(Number.NEGATIVE_INFINITY, -1e38)).toBe(1);
  expect(of(Number.NaN, 1, Number.NaN, 2)).toBe(3);
  expect(of(Number.NaN, Number.NaN)).toBe(0);
});

test('agrees with the definition on any window', () => {
  fc.assert(
    fc.property(fc.array(fc.float(), { minLength: 1, maxLength: 300 }), fc.nat(), fc.nat(), (values, a, b) => {
      const data = Float32Array.from(values);
      const from = a % data.length;
      const length = 1 + (b % (data.length - from));
      const window = [...data.subarray(from, from + length)];
      const numbers = window.filter((value) => !Number.isNaN(value));
      const expected = numbers.length === 0 ? 0 : window.indexOf(Math.max(...numbers));
      const found = argmax(data, from, length);
      // Minus infinity alone is never larger than the start value; any index of it is as good.
      return window[found] === window[Math.max(0, expected)] || numbers.length === 0;
    }),
  );
});
