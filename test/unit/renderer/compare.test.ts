import { describe, expect, test } from 'vitest';
import { type Pair, defaultPair, partnerTab, subjectOf, swapped } from '../../../renderer/compare/pair.ts';
import { withoutTheRest } from '../../../renderer/compare/compared-pair.ts';
import { forestReach, forestRow, onAxis } from '../../../renderer/compare/forest.ts';
import { compareSubjects } from '../../../shared/compare-records.ts';
import { compareRuns, type MetricComparison } from '../../../shared/compare.ts';
import type { TraceRecord } from '../../../shared/record.ts';
import { madeUpRecord, madeUpSample } from '../../support/report-records.ts';

const run = (name: string, more: Parameters<typeof madeUpSample>[0]['more'] = {}, pace = 20) => ({
  name,
  samples: [1, 2, 3, 4, 5, 6].map((seed) => madeUpSample({ tokens: 12, seed, pace, more })),
});
const cached = run('cached');
const uncached = run('uncached', { use_cache: false }, 30);
const long = run('long', { prompt: 'Another, longer question.', prompt_tokens: 260 });
const both = madeUpRecord([cached, long, uncached]);

describe('what a comparison begins with', () => {
  const opened = (tab: string, record: TraceRecord) => ({ tab, record });

  test('in one record: the run that is selected and one that may be compared with it', () => {
    expect(defaultPair(opened('x', both), null, 0)).toEqual({
      a: { tab: 'x', kind: 'run', index: 0 },
      b: { tab: 'x', kind: 'run', index: 2 },
    });
    expect(defaultPair(opened('x', both), null, 2).b).toEqual({ tab: 'x', kind: 'run', index: 0 });
  });

  test('where the selected run has no counterpart, two that are comparable', () => {
    const pair = defaultPair(opened('x', both), null, 1);
    expect([pair.a.index, pair.b?.index]).toEqual([0, 2]);
  });

  test('with a second record: the runs of one name, the earlier tab as A', () => {
    const other = madeUpRecord([run('something'), run('uncached'), run('long')]);
    const pair = (earlier: boolean, selected: number) =>
      defaultPair(opened('mine', both), { opened: opened('theirs', other), earlier }, selected);
    expect(pair(true, 2)).toEqual({
      a: { tab: 'theirs', kind: 'run', index: 1 },
      b: { tab: 'mine', kind: 'run', index: 2 },
    });
    expect(pair(false, 1)).toEqual({
      a: { tab: 'mine', kind: 'run', index: 1 },
      b: { tab: 'theirs', kind: 'run', index: 2 },
    });
    // "cached" is not in the other record: the first name that both have.
    expect(pair(false, 0).a.index).toBe(1);
  });

  test('a second record without a common name does not count', () => {
    const partner = { opened: opened('theirs', madeUpRecord([run('else')])), earlier: true };
    expect(defaultPair(opened('mine', both), partner, 0).b).toEqual({ tab: 'mine', kind: 'run', index: 2 });
  });

  test('a run alone has nothing to be compared with', () => {
    expect(defaultPair(opened('x', madeUpRecord([cached])), null, 5)).toEqual({
      a: { tab: 'x', kind: 'run', index: 0 },
      b: null,
    });
  });

  test('the other record is the tab before, else the one after, never a refused one', () => {
    const state = (tabs: [id: string, valid: boolean][]) =>
      ({ app: { tabs: tabs.map(([id, valid]) => ({ id, valid, name: id, place: '', unsaved: false })) } }) as never;
    expect(
      partnerTab(
        state([
          ['a', true],
          ['b', true],
          ['c', true],
        ]),
        'b',
      ),
    ).toEqual({ id: 'a', earlier: true });
    expect(
      partnerTab(
        state([
          ['a', false],
          ['b', true],
          ['c', true],
        ]),
        'b',
      ),
    ).toEqual({ id: 'c', earlier: false });
    expect(partnerTab(state([['b', true]]), 'b')).toBeNull();
  });
});

test('swapping twice gives the same pair; with one side there is nothing to swap', () => {
  const pair: Pair = { a: { tab: 'x', kind: 'run', index: 0 }, b: { tab: 'y', kind: 'batch', index: 1 } };
  expect(swapped(pair)).toEqual({ a: pair.b, b: pair.a });
  expect(swapped(swapped(pair))).toEqual(pair);
  expect(swapped({ a: pair.a, b: null })).toEqual({ a: pair.a, b: null });
});

test('a side that the record no longer has is no subject', () => {
  expect(subjectOf(both, { tab: 'x', kind: 'run', index: 3 })).toBeNull();
  expect(subjectOf(both, { tab: 'x', kind: 'batch', index: 0 })).toBeNull();
  expect(subjectOf(both, { tab: 'x', kind: 'run', index: 1 })).toMatchObject({ kind: 'run', run: { name: 'long' } });
});

test('what is handed over to another thread is light and gives the same comparison', () => {
  const subjects = both.runs.map((_, index) => subjectOf(both, { tab: 'x', kind: 'run', index })!);
  const other = madeUpRecord([run('cached', {}, 25)]);
  other.runs[0]!.samples[0]!.generated_token_ids[3] = 7;
  const elsewhere = subjectOf(other, { tab: 'y', kind: 'run', index: 0 })!;
  for (const [a, b] of [
    [subjects[0]!, subjects[2]!],
    [subjects[0]!, elsewhere],
  ] as const) {
    const light = structuredClone(withoutTheRest({ a, b }));
    expect(JSON.stringify(light).length).toBeLessThan(JSON.stringify({ a, b }).length / 2);
    expect(compareSubjects(light.a, light.b)).toEqual(compareSubjects(a, b));
  }
});

describe('the axis of intervals', () => {
  const metric = (change: Partial<MetricComparison>): MetricComparison => ({
    ...compareRuns({ record: both, run: cached }, { record: both, run: uncached }).metrics[0]!,
    ...change,
  });

  test('an interval is a share of A; where none was computed there is nothing to draw', () => {
    const found = metric({ a: 50, b: 60, difference: 10, interval: { low: 5, high: 20 } });
    expect(forestRow(found)).toEqual({ low: 0.1, high: 0.4, middle: 0.2 });
    expect(forestRow({ ...found, interval: null })).toBeNull();
    expect(forestRow({ ...found, a: 0 })).toBeNull();
    expect(forestRow({ ...found, a: null })).toBeNull();
  });

  test('holds every interval with a round end, at most as much as A', () => {
    const row = (low: number, high: number) => ({ low, high, middle: (low + high) / 2 });
    expect(forestReach([null, row(-0.03, 0.01)])).toBe(0.05);
    expect(forestReach([row(-0.5, 0.2)])).toBe(0.5);
    expect(forestReach([row(-0.1, 6), row(0, 0.01)])).toBe(1);
    expect(forestReach([null])).toBe(0.01);
    expect(onAxis(6, 1)).toEqual({ share: 1, beyond: true });
    expect(onAxis(-0.4, 0.5)).toEqual({ share: -0.4, beyond: false });
  });
});
