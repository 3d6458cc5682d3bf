import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeBars } from '../../../renderer/timeline/columns.ts';
import { laneAt, laneTop, lanesBetween, layoutRows } from '../../../renderer/timeline/rows.ts';
import { nextStall, tokenAt } from '../../../renderer/timeline/token-at.ts';
import { fitAll } from '../../../renderer/timeline/viewport.ts';
import { PACE } from '../../../shared/pace.ts';
import { firstTokenAt, highestPace } from '../../../renderer/trace/lane.ts';
import { tokensInRange } from '../../../renderer/inspector/range.ts';
import { slowestTokens } from '../../../renderer/inspector/slowest.ts';
import { laneOfSample } from '../../../renderer/trace/record-trace.ts';
import { groupOf, laneOf, sampleOf } from './lanes.ts';

describe('a lane', () => {
  test('has its moments, paces and stalls', () => {
    const lane = laneOf(40, [20, 20, 20, 20, 30, 40, 200]);
    expect([...lane.at]).toEqual([40, 60, 80, 100, 120, 150, 190, 390]);
    expect([...lane.pace]).toEqual([0, 1, 1, 1, 1, 2, 3, PACE.stall]);
    expect(lane.stalls).toBe(1);
    expect(lane.medianMs).toBe(20);
  });

  test('of a warm-up that does not count its tokens is drawn by its intervals', () => {
    const lane = laneOfSample({ ...sampleOf(100, [20, 20]), generated_tokens: 0 }, 'cold', 0, 0);
    expect([...lane.pace]).toEqual([PACE.first, PACE.usual, PACE.usual]);
  });

  test('of one token has a wait and no pace', () => {
    const lane = laneOf(40, []);
    expect(lane.count).toBe(1);
    expect(lane.medianMs).toBeNull();
    expect(decodeBars(lane, fitAll(40), 500)).toEqual([]);
  });

  test('leaves out a tokenization that does not fit into the wait', () => {
    expect(laneOf(40, [20], { tokenization_ms: 50 }).tokenizationMs).toBeNull();
    expect(laneOf(40, [20], { tokenization_ms: -1 }).tokenizationMs).toBeNull();
    expect(laneOf(40, [20], { tokenization_ms: 0.5 }).tokenizationMs).toBe(0.5);
  });

  test('has chunks and texts only where they were recorded for each', () => {
    expect(laneOf(40, [20]).chunks).toBeNull();
    expect(laneOf(40, [20], { prefill_ms: [10, 20] }).chunks).toEqual([10, 20]);
    expect(laneOf(40, [20], { token_texts: ['a'] }).texts).toBeNull();
    expect(laneOf(40, [20], { token_texts: ['a', 'b'] }).texts).toEqual(['a', 'b']);
  });

  test('finds tokens by time', () => {
    const lane = laneOf(40, [20, 20]);
    expect(tokenAt(lane, 0)).toBe(0);
    expect(tokenAt(lane, 40)).toBe(0);
    expect(tokenAt(lane, 41)).toBe(1);
    expect(tokenAt(lane, 80)).toBe(2);
    expect(tokenAt(lane, 81)).toBeNull();
    expect(firstTokenAt(lane, 1000)).toBe(3);
  });

  test('finds the next stall in both directions', () => {
    const lane = laneOf(40, [20, 200, 20, 20, 300, 20, 20, 20]);
    expect(nextStall(lane, null, 1, PACE.stall)).toBe(2);
    expect(nextStall(lane, 2, 1, PACE.stall)).toBe(5);
    expect(nextStall(lane, 5, 1, PACE.stall)).toBeNull();
    expect(nextStall(lane, null, -1, PACE.stall)).toBe(5);
  });

  test('the highest pace of a stretch, by blocks, is that by tokens', () => {
    const intervals = Array.from({ length: 1000 }, (_, index) => (index % 311 === 7 ? 500 : 20 + (index % 9)));
    const lane = laneOf(40, intervals);
    fc.assert(
      fc.property(fc.nat(1001), fc.nat(1001), (a, b) => {
        const [from, to] = [Math.min(a, b), Math.min(Math.max(a, b), lane.count)];
        expect(highestPace(lane, from, to)).toBe(Math.max(0, ...lane.pace.subarray(from, to)));
      }),
    );
  });

  test('lists its slowest tokens, the wait not among them', () => {
    expect(slowestTokens(laneOf(900, [20, 200, 30, 100]), 3)).toEqual([2, 4, 3]);
    expect(slowestTokens(laneOf(900, []), 3)).toEqual([]);
  });
});

describe('bars', () => {
  test('one for each token while they can be told apart', () => {
    const bars = decodeBars(laneOf(40, [20, 20, 20]), { start: 0, end: 100 }, 1000);
    expect(bars.map(({ token, x, width }) => [token, x, width])).toEqual([
      [1, 400, 200],
      [2, 600, 200],
      [3, 800, 200],
    ]);
  });

  test('only what is on screen', () => {
    const bars = decodeBars(
      laneOf(
        40,
        Array.from({ length: 5000 }, () => 20),
      ),
      { start: 1000, end: 1200 },
      1000,
    );
    expect(bars.length).toBeLessThan(15);
  });

  test('zoomed out, every stall keeps a column of its own colour and no bar overlaps the next', () => {
    const intervals = Array.from({ length: 100_000 }, (_, index) => (index % 20_000 === 10_000 ? 500 : 20));
    const lane = laneOf(40, intervals);
    const bars = decodeBars(lane, fitAll(lane.endMs), 800);
    expect(bars.filter(({ pace }) => pace === PACE.stall)).toHaveLength(5);
    for (const [index, bar] of bars.entries()) {
      const next = bars[index + 1];
      if (next !== undefined) expect(bar.x + bar.width).toBeCloseTo(next.x);
    }
    expect(bars.length).toBeLessThan(20);
  });
});

describe('rows', () => {
  const groups = [groupOf('a', 3), groupOf('b', 5, 1), groupOf('c', 1, 2)];

  test('the lane under each lane’s middle is that lane, with and without a bracket', () => {
    for (const selected of [null, { group: 1, sample: 2 }]) {
      const rows = layoutRows(groups, new Set(), selected);
      for (const group of rows.groups) {
        for (const lane of group.group.lanes) {
          const middle = laneTop(rows, group, lane.sample) + rows.metrics.lane / 2;
          expect(laneAt(rows, middle)?.key).toBe(lane.key);
        }
      }
    }
  });

  test('the bracket belongs to the selected lane', () => {
    const rows = layoutRows(groups, new Set(), { group: 1, sample: 2 });
    const group = rows.groups[1]!;
    expect(laneAt(rows, laneTop(rows, group, 2) + rows.metrics.lane + 5)?.sample).toBe(2);
    expect(laneTop(rows, group, 3) - laneTop(rows, group, 2)).toBe(rows.metrics.lane + rows.metrics.bracket);
  });

  test('a collapsed group has no lanes to point at', () => {
    const rows = layoutRows(groups, new Set(['b']), null);
    const group = rows.groups[1]!;
    expect(group.height).toBe(rows.metrics.collapsed);
    expect(laneAt(rows, group.top + 5)).toBeNull();
  });

  test('of fifty thousand lanes only those on screen are visited', () => {
    const rows = layoutRows([groupOf('many', 50_000)], new Set(), null);
    const [first, last] = lanesBetween(rows, rows.groups[0]!, 500_000, 500_400);
    expect(last - first).toBeLessThan(25);
    expect(laneTop(rows, rows.groups[0]!, first)).toBeLessThanOrEqual(500_000);
    expect(laneTop(rows, rows.groups[0]!, last)).toBeGreaterThanOrEqual(500_400);
  });
});

test('a range counts the tokens that arrived in it', () => {
  const trace = { groups: [groupOf('a', 2)], endMs: 100 };
  const rows = tokensInRange(trace, 45, 65, 10);
  expect(rows.map(({ tokens }) => tokens)).toEqual([1, 1]);
  expect(tokensInRange(trace, 500, 600, 10)).toEqual([]);
  expect(tokensInRange(trace, 0, 1000, 1)).toHaveLength(1);
});
