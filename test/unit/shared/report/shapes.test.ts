import { describe, expect, test } from 'vitest';
import { roundTicks, timeTicks } from '../../../../shared/report/axis.ts';
import { intervalLine } from '../../../../shared/report/interval-shapes.ts';
import { laneShapes } from '../../../../shared/report/lane-shapes.ts';
import { PACE } from '../../../../shared/pace.ts';
import { madeUpSample } from '../../../support/report-records.ts';

describe('lanes', () => {
  test.each([5, 300, 100_000])('%i tokens: stretches follow each other from the first token to the last', (tokens) => {
    const sample = madeUpSample({ tokens });
    const { wait, intervals, end, merged } = laneShapes(sample, 800 / sample.e2e_ms);
    expect(merged).toBe(tokens > 200);
    expect(intervals.length).toBeLessThanOrEqual(800);
    let at = wait.to;
    for (const { from, to } of intervals) {
      expect(from).toBeCloseTo(at, 6);
      at = to;
    }
    expect(at).toBeCloseTo(end, 6);
  });

  test('one stall among 100,000 tokens is not lost', () => {
    const sample = madeUpSample({ tokens: 100_000 });
    sample.itl_ms[31_000]! += 300;
    sample.e2e_ms += 300;
    const scale = 800 / sample.e2e_ms;
    const stalls = laneShapes(sample, scale).intervals.filter(({ pace }) => pace === PACE.stall);
    expect(stalls).toHaveLength(1);
    const at = (sample.ttft_ms + sample.itl_ms.slice(0, 31_000).reduce((sum, interval) => sum + interval, 0)) * scale;
    expect(stalls[0]!.from).toBeLessThanOrEqual(at + 1);
    expect(stalls[0]!.to).toBeGreaterThanOrEqual(at);
  });

  test('chunks are marked where they were measured and fit into the wait', () => {
    const marks = (more: object) =>
      laneShapes({ ...madeUpSample({ tokens: 2, more: { tokenization_ms: 1 } }), ttft_ms: 20, ...more }, 2).chunkMarks;
    expect(marks({ prefill_ms: [5, 6, 7] })).toEqual([12, 24, 38]);
    expect(marks({ prefill_ms: [18] })).toEqual([]);
    expect(marks({ chunk_size: 64 })).toEqual([]);
    expect(marks({ prefill_ms: [5, 600] })).toEqual([]);
    expect(marks({ prefill_ms: [5, -1] })).toEqual([]);
  });
});

describe('interval lines', () => {
  const box = { width: 300, height: 100, top: 50 };

  test('few intervals: a point for each', () => {
    expect(intervalLine([10, 25, 50], { ...box, longest: 3 }).points).toEqual([
      [0, 20],
      [150, 50],
      [300, 100],
    ]);
    expect(intervalLine([10], { ...box, longest: 1 }).points).toEqual([[0, 20]]);
    expect(intervalLine([], { ...box, longest: 0 }).points).toEqual([]);
  });

  test('many: highest and lowest of each pixel, stalls marked', () => {
    const intervals = Array.from({ length: 30_000 }, (_, index) => (index === 12_345 ? 50 : 10 + (index % 2)));
    const { points, stalls } = intervalLine(intervals, { ...box, longest: 30_000 });
    expect(points.length).toBeLessThanOrEqual(602);
    expect(Math.max(...points.map(([, y]) => y))).toBe(100);
    expect(stalls).toEqual([[123, 100]]);
    for (const [x] of points) expect(x).toBeLessThanOrEqual(300);
  });
});

test('ticks are round', () => {
  expect(roundTicks(230, 4)).toEqual([0, 100, 200]);
  expect(roundTicks(0, 4)).toEqual([0]);
  expect(roundTicks(Number.NaN, 4)).toEqual([0]);
  expect(timeTicks(950, 8).map(({ label }) => label)).toEqual(['request', '200 ms', '400 ms', '600 ms', '800 ms']);
  expect(timeTicks(12_000, 8).map(({ label }) => label)).toEqual([
    'request',
    '2 s',
    '4 s',
    '6 s',
    '8 s',
    '10 s',
    '12 s',
  ]);
  expect(timeTicks(0.03, 3).map(({ label }) => label)).toEqual(['request', '0.01 ms', '0.02 ms', '0.03 ms']);
  expect(timeTicks(4000, 8).map(({ label }) => label)).toContain('1.5 s');
});
