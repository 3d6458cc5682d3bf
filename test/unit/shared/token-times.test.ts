import { expect, test } from 'vitest';
import { tokenTimes } from '../../../shared/token-times.ts';
import { madeUpSample } from '../../support/report-records.ts';
import { liveRun } from '../../support/records.ts';

test('from the first token to the end of the request', () => {
  expect([...tokenTimes({ ...madeUpSample({ tokens: 3 }), ttft_ms: 10, itl_ms: [8, 12], e2e_ms: 30 })]).toEqual([
    10, 18, 30,
  ]);
  expect([...tokenTimes({ ...madeUpSample({ tokens: 1 }), ttft_ms: 10, itl_ms: [], e2e_ms: 10 })]).toEqual([10]);
  expect([...tokenTimes({ ...madeUpSample({ tokens: 0 }), ttft_ms: 10, itl_ms: [], e2e_ms: 10 })]).toEqual([]);
});

test('what rounding lost is spread over the intervals, so that no token comes before another', () => {
  // As far apart as the summarizer allows: 1 ms of intervals in 0.5 ms, and in 2 ms.
  for (const rest of [0.5, 2]) {
    const sample = {
      ...madeUpSample({ tokens: 1001 }),
      ttft_ms: 10,
      itl_ms: Array.from({ length: 1000 }, () => 0.001),
      e2e_ms: 10 + rest,
    };
    const times = tokenTimes(sample);
    expect(times.at(-1)).toBe(sample.e2e_ms);
    expect(times[500]).toBeCloseTo(10 + rest / 2, 9);
    for (let index = 1; index < times.length; index += 1)
      expect(times[index]!).toBeGreaterThanOrEqual(times[index - 1]!);
  }
});

test('in the reference record no time is moved by more than 23 roundings', () => {
  for (const sample of liveRun().runs.flatMap(({ samples }) => samples)) {
    let at = sample.ttft_ms;
    const times = tokenTimes(sample);
    sample.itl_ms.forEach((interval, index) => {
      at += interval;
      expect(Math.abs(times[index + 1]! - at)).toBeLessThan(0.0121);
    });
  }
});
