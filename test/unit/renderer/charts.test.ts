import { describe, expect, test } from 'vitest';
import { ecdf, pooledIntervals } from '../../../renderer/charts/ecdf-data.ts';
import { intervalData } from '../../../renderer/charts/interval-data.ts';
import { groupOf, laneOf } from './lanes.ts';

describe('intervals by token', () => {
  test('start with the second token and leave short lanes open', () => {
    const data = intervalData([laneOf(40, [20, 21, 22]), laneOf(40, [30])], 100);
    expect(data.x).toEqual([2, 3, 4]);
    expect(data.lanes).toEqual([
      [20, 21, 22],
      [30, null, null],
    ]);
    expect(data.thinned).toBe(false);
  });

  test('thinned, no stall is lost', () => {
    const intervals = Array.from({ length: 9999 }, (_, index) => (index === 5432 ? 900 : 20));
    const data = intervalData([laneOf(40, intervals)], 500);
    expect(data.thinned).toBe(true);
    expect(data.x.length).toBeLessThanOrEqual(500);
    expect(data.stalls).toEqual([{ x: expect.any(Number), y: 900 }]);
    expect(Math.max(...data.lanes[0]!.map((value) => value ?? 0))).toBe(900);
  });

  test('of a single token are none', () => {
    expect(intervalData([laneOf(40, [])], 100)).toMatchObject({ x: [], lanes: [[]], stalls: [] });
  });
});

describe('distribution', () => {
  test('ends at 100% where nothing lies beyond, and says how many do', () => {
    const pool = Float64Array.from([10, 20, 20, 40]);
    const whole = ecdf([pool], [40], 4);
    expect(whole.x).toEqual([0, 10, 20, 30, 40]);
    expect(whole.shares).toEqual([[0, 0.25, 0.75, 0.75, 1]]);
    expect(whole.beyond).toBe(0);
    const cut = ecdf([Float64Array.from([10, 20, 20, 4000])], [20], 3);
    expect(cut.x.at(-1)).toBe(30);
    expect(cut.beyond).toBe(1);
  });

  test('of nothing is nothing, not a line at zero', () => {
    expect(ecdf([new Float64Array()], [null], 4).shares).toEqual([[null, null]]);
  });

  test('pools the intervals of all samples', () => {
    expect([...pooledIntervals(groupOf('a', 2))]).toEqual([20, 20, 20, 20]);
  });
});
