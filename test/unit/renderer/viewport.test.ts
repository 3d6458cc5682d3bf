import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  fitAll,
  fitRange,
  MIN_SPAN_MS,
  pan,
  reveal,
  timeToX,
  within,
  xToTime,
  zoom,
} from '../../../renderer/timeline/viewport.ts';
import { timeTicks } from '../../../renderer/timeline/ticks.ts';

const END = 1000;

describe('viewport', () => {
  test('zooming keeps the moment under the pointer in place', () => {
    const view = { start: 200, end: 600 };
    const anchor = 300;
    const before = timeToX(view, 800, anchor);
    expect(timeToX(zoom(view, 2, anchor, END), 800, anchor)).toBeCloseTo(before, 9);
  });

  test('whatever is done, the view stays inside and wide enough', () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('zoom' as const),
        by: fc.double({ min: 0.1, max: 10, noNaN: true }),
        at: fc.double({ min: 0, max: END, noNaN: true }),
      }),
      fc.record({
        kind: fc.constant('pan' as const),
        by: fc.double({ min: -5, max: 5, noNaN: true }),
        at: fc.constant(0),
      }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let view = fitAll(END);
        for (const { kind, by, at } of steps) view = kind === 'zoom' ? zoom(view, by, at, END) : pan(view, by, END);
        const all = fitAll(END);
        expect(view.start).toBeGreaterThanOrEqual(0);
        expect(view.end).toBeLessThanOrEqual(all.end + 1e-9);
        expect(view.end - view.start).toBeGreaterThanOrEqual(MIN_SPAN_MS - 1e-9);
      }),
    );
  });

  test('an empty trace has a view too', () => {
    expect(fitAll(0).end).toBeGreaterThan(0);
    expect(within({ start: 5, end: 10 }, 0).start).toBe(0);
  });

  test('a range is shown with room on both sides', () => {
    const view = fitRange(600, 400, END);
    expect(view.start).toBeLessThan(400);
    expect(view.end).toBeGreaterThan(600);
  });

  test('reveals what is outside and leaves alone what is not', () => {
    const view = { start: 100, end: 300 };
    expect(reveal(view, 150, 200, END)).toBe(view);
    expect(reveal(view, 400, 410, END).end).toBeGreaterThan(410);
    expect(reveal(view, 10, 20, END).start).toBeLessThan(10);
    expect(reveal(view, 400, 900, END).start).toBeLessThan(400);
  });

  test('pixels and moments are inverse', () => {
    expect(xToTime({ start: 100, end: 300 }, 400, timeToX({ start: 100, end: 300 }, 400, 222))).toBeCloseTo(222);
  });
});

describe('ticks', () => {
  test('are round, apart and in a fitting unit', () => {
    expect(timeTicks({ start: 0, end: 1000 }, 1000).map(({ label }) => label)).toEqual([
      '0 ms',
      '100 ms',
      '200 ms',
      '300 ms',
      '400 ms',
      '500 ms',
      '600 ms',
      '700 ms',
      '800 ms',
      '900 ms',
      '1,000 ms',
    ]);
    expect(timeTicks({ start: 0, end: 1.2 }, 400).map(({ label }) => label)).toEqual(['0.0 ms', '0.5 ms', '1.0 ms']);
    expect(timeTicks({ start: 0, end: 3000 }, 400).map(({ label }) => label)).toEqual(['0 s', '1 s', '2 s', '3 s']);
    expect(timeTicks({ start: 0, end: 0 }, 400)).toEqual([]);
  });
});
