import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asBits, floatsOf } from '../../../../main/inference/float16.ts';
import { Tensor } from '../../../../main/inference/session.ts';
import { halfBits } from '../../../support/small-decoder.ts';

test.each([
  [0x0000, 0],
  [0x8000, -0],
  [0x3c00, 1],
  [0xc000, -2],
  [0x3555, 0.333251953125],
  [0x7bff, 65_504],
  [0x0400, 2 ** -14],
  [0x03ff, 1023 * 2 ** -24],
  [0x0001, 2 ** -24],
  [0xfc00, Number.NEGATIVE_INFINITY],
  [0x7c00, Number.POSITIVE_INFINITY],
  [0x7e00, Number.NaN],
])('the bits %i are %f', (bits, value) => {
  expect(floatsOf(Uint16Array.of(bits))[0]).toBe(value);
});

test('a number of ordinary size comes back as its neighbour', () => {
  fc.assert(
    fc.property(fc.float({ min: Math.fround(2 ** -13), max: 60_000, noNaN: true }), (value) => {
      const back = floatsOf(Uint16Array.of(halfBits(value)))[0]!;
      expect(back).toBeLessThanOrEqual(value);
      expect(back).toBeGreaterThan(value * (1 - 2 ** -10));
    }),
  );
});

test('tensors hold bits, whatever this version of JavaScript has for half precision, and share their memory', () => {
  const bits = Uint16Array.of(0x3c00, 0xc000);
  const tensor = new Tensor('float16', bits.subarray(1), [1]);
  asBits(tensor);
  expect(tensor.data).toBeInstanceOf(Uint16Array);
  bits[1] = 0x7bff;
  expect([...tensor.data]).toEqual([0x7bff]);
  const other = new Tensor('float32', Float32Array.of(1), [1]);
  asBits(other);
  expect(other.data).toBeInstanceOf(Float32Array);
});
