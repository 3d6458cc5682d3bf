import { expect, test } from 'vitest';
import { backoff, LONGEST_RETRY_AFTER_MS, retryAfterMs } from '../../../../main/download/retry.ts';

test('waits double and are spread over their upper half, up to a bound', () => {
  expect([1, 2, 3, 4, 5].map((failures) => backoff(failures, 0))).toEqual([500, 1000, 2000, 4000, 8000]);
  expect([1, 2, 3].map((failures) => backoff(failures, 1))).toEqual([1000, 2000, 4000]);
  expect(backoff(60, 1)).toBe(30_000);
});

test('Retry-After is seconds or a date, and never more than the bound', () => {
  const date = Date.parse('2026-01-01T00:00:00Z');
  const read = (text: string | undefined) => retryAfterMs(text, date);
  expect(read('12')).toBe(12_000);
  expect(read('Thu, 01 Jan 2026 00:00:10 GMT')).toBe(10_000);
  expect(read('Wed, 31 Dec 2025 00:00:00 GMT')).toBe(0);
  expect(read('999999999999')).toBe(LONGEST_RETRY_AFTER_MS);
  for (const nothing of [undefined, '', 'soon', '-5', '1.5e3x']) expect(read(nothing)).toBeGreaterThanOrEqual(0);
  expect(read('soon')).toBe(0);
});
