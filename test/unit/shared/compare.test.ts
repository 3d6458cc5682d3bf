import { describe, expect, test } from 'vitest';
import { bootstrap } from '../../../shared/bootstrap.ts';
import { type Comparison, type MetricComparison, compareRuns } from '../../../shared/compare.ts';
import { compareRecords, compareSubjects, findSubject } from '../../../shared/compare-records.ts';
import { comparisonText, comparisonMarkdown } from '../../../shared/comparison-text.ts';
import { poolOf } from '../../../shared/pool.ts';
import { randomStream } from '../../../shared/random-stream.ts';
import type { Run, TraceRecord } from '../../../shared/record.ts';
import { slowerThan } from '../../../shared/regression.ts';
import { madeUpRecord, madeUpSample } from '../../support/report-records.ts';
import { liveRun } from '../../support/records.ts';

function runOf(count: number, pace: number, seed: number, tokens = 12): Run {
  const samples = Array.from({ length: count }, (_, index) =>
    madeUpSample({ tokens, ttft: pace * 2, pace, seed: seed * 1000 + index }),
  );
  return { name: 'run', samples };
}

function compared(a: Run, b: Run): Comparison {
  return compareRuns({ record: madeUpRecord([a]), run: a }, { record: madeUpRecord([b]), run: b });
}

function metric(comparison: Comparison, name: MetricComparison['metric']): MetricComparison {
  return comparison.metrics.find((each) => each.metric === name)!;
}

const live = liveRun();
const ofLive = (a: string, b: string) => compareSubjects(findSubject(live, a), findSubject(live, b));

describe('the reference record', () => {
  test('cached against uncached answers one question, and names it', () => {
    const comparison = ofLive('short_cached', 'short_without_cache');
    expect(comparison).toMatchObject({
      standing: 'comparable',
      output: { same: true, tokens: 24 },
      differences: [{ what: 'KV cache', mark: 'changes the question', rules_out: false }],
    });
    expect(metric(comparison, 'tpot_ms')).toMatchObject({ a: 24.093, b: 39.635, difference: 15.542, ratio: 1.64508 });
    // Three samples allow no verdict, whatever the figures.
    for (const { verdict } of comparison.metrics) expect(verdict).toBe('too few samples');
  });

  test('short against long answers a different question: figures, but no verdict', () => {
    const comparison = ofLive('short_cached', 'long_cached');
    expect(comparison.standing).toBe('another question');
    expect(comparison.question).toContain('answers a different question');
    expect(comparison.output).toEqual({ same: null });
    for (const { verdict, difference } of comparison.metrics) {
      expect(verdict).toBeNull();
      expect(difference).not.toBeNull();
    }
  });

  test.each([
    ['batch_sweep', 'short_cached'],
    ['short_cached', 'batch_sweep[2]'],
    ['batch_sweep[0]', 'batch_sweep[1]'],
  ])('%s against %s is refused: another loop', (a, b) => {
    const comparison = ofLive(a, b);
    expect(comparison.standing).toBe('not comparable');
    expect(comparison.question).toContain('loop of their own');
    expect(comparison.metrics).toMatchObject([
      { metric: 'decode_tokens_per_s', difference: null, ratio: null, verdict: null },
    ]);
  });

  test('a run that was stopped by request has another cap', () => {
    const comparison = ofLive('short_cached', 'cancelled');
    expect(comparison.standing).toBe('not comparable');
    expect(comparison.output).toEqual({ same: 'as far as both go', tokens: 4 });
    for (const each of comparison.metrics)
      expect(each).toMatchObject({ difference: null, ratio: null, interval: null, verdict: null });
  });

  test('another output is shown by its first token that differs', () => {
    const other = liveRun();
    other.runs[0]!.samples[0]!.generated_token_ids[3] = 99;
    const { comparisons } = compareRecords(live, other);
    expect(comparisons[0]!.output).toEqual({
      same: false,
      index: 3,
      a: { id: 17847, text: null },
      b: { id: 99, text: null },
    });
  });
});

describe('a record against itself', () => {
  test.each([1, 2, 3, 5, 30])('with %i samples is not distinguishable, its interval around 0', (count) => {
    const run = runOf(count, 20, 1);
    for (const each of compared(run, structuredClone(run)).metrics) {
      expect(each.verdict).toBe('not distinguishable');
      expect(each.difference).toBe(0);
      expect(each.ratio).toBe(1);
      if (count === 1) expect(each.interval).toBeNull();
      else {
        expect(each.interval!.low).toBeLessThanOrEqual(0);
        expect(each.interval!.low + each.interval!.high).toBe(0);
      }
    }
  });
});

describe('a known shift of 10%', () => {
  const shifted = (count: number, seed: number) => compared(runOf(count, 20, seed), runOf(count, 22, seed + 50));

  test('is found with 30 samples, in every figure that it moves', () => {
    const comparison = shifted(30, 1);
    const verdicts = Object.fromEntries(comparison.metrics.map((each) => [each.metric, each.verdict]));
    expect(verdicts).toEqual({
      ttft_ms: 'slower',
      tpot_ms: 'slower',
      itl_p50_ms: 'slower',
      itl_p95_ms: 'slower',
      itl_p99_ms: 'slower',
      decode_tokens_per_s: 'slower',
    });
    const { interval, ratio_interval: ratios } = metric(comparison, 'tpot_ms');
    expect(interval!.low).toBeGreaterThan(1.7);
    expect(interval!.high).toBeLessThan(2.3);
    expect(ratios!.low).toBeGreaterThan(1.05);
  });

  test('is not claimed with 3, and how many it takes is said', () => {
    for (const each of shifted(3, 1).metrics) {
      expect(each.verdict).toBe('too few samples');
      expect(each.samples_needed).toBeGreaterThanOrEqual(5);
    }
  });

  test('faster the other way round', () => {
    const comparison = compared(runOf(30, 22, 2), runOf(30, 20, 3));
    expect(new Set(comparison.metrics.map(({ verdict }) => verdict))).toEqual(new Set(['faster']));
  });

  test('gates a build only beyond the limit', () => {
    const comparison = shifted(30, 1);
    expect(slowerThan(comparison, 5).map((line) => line.split(':')[1]!.split(' ')[1])).toEqual(['TTFT', 'TPOT']);
    expect(slowerThan(comparison, 15)).toEqual([]);
    expect(slowerThan(shifted(3, 1), 0)).toEqual([]);
    expect(slowerThan(compared(runOf(30, 22, 2), runOf(30, 20, 3)), 0)).toEqual([]);
  });
});

test('swapping the two mirrors every figure, also of runs of different size', () => {
  const mirrored = { faster: 'slower', slower: 'faster' } as const;
  for (const [a, b] of [
    [runOf(30, 20, 1), runOf(30, 22, 2)],
    [runOf(7, 20, 3), runOf(12, 20.4, 4)],
    [runOf(3, 20, 5), runOf(5, 30, 6)],
    [live.runs[0]!, live.runs[2]!],
  ] as const) {
    const there = compared(a, b);
    const back = compared(b, a);
    there.metrics.forEach((one, index) => {
      const other = back.metrics[index]!;
      expect(other.a).toBe(one.b);
      expect(other.b).toBe(one.a);
      expect(other.difference! + one.difference!).toBe(0);
      expect(other.interval!.low + one.interval!.high).toBe(0);
      expect(other.interval!.high + one.interval!.low).toBe(0);
      expect(other.ratio! * one.ratio!).toBeCloseTo(1, 5);
      expect(other.ratio_interval!.low * one.ratio_interval!.high).toBeCloseTo(1, 5);
      expect(other.samples).toEqual({ a: one.samples.b, b: one.samples.a });
      expect(other.samples_needed).toBe(one.samples_needed);
      expect(other.verdict).toBe(mirrored[one.verdict as 'faster' | 'slower'] ?? one.verdict);
    });
    expect(back.standing).toBe(there.standing);
  }
});

test('a comparison states how it was made, and gives the same figures again', () => {
  const [a, b] = [runOf(30, 20, 1), runOf(30, 22, 2)];
  expect(compared(a, b)).toEqual(compared(a, b));
  expect(compared(a, b).method).toEqual({
    interval: 'percentile bootstrap of the difference',
    confidence: 0.95,
    resamples: 4000,
    seed: 1,
    unit: 'samples; for ITL each sample with all its intervals',
    percentiles: 'linear interpolation between closest ranks (as numpy by default)',
  });
  const sources = [a, b].map((run) => ({ record: madeUpRecord([run]), run }));
  expect(compareRuns(sources[0]!, sources[1]!, 2).metrics[0]!.interval).not.toEqual(
    compared(a, b).metrics[0]!.interval,
  );
});

test('intervals of simulated runs hold the true difference in 92 to 98 of 100', () => {
  // A short form of test/bench/coverage.bench.ts, with draws that are the same each time.
  const simulations = 400;
  let held = 0;
  for (let simulation = 0; simulation < simulations; simulation += 1) {
    const random = randomStream(11, simulation);
    const draw = () => poolOf(Array.from({ length: 30 }, () => [Math.exp(0.3 * gauss(random))]));
    const stream = (index: number) => randomStream(simulation, index);
    const { differences } = bootstrap({ a: draw(), b: draw(), shares: [0.5], unit: 'samples', stream, rounds: 200 });
    if (differences[0]!.low <= 0 && differences[0]!.high >= 0) held += 1;
  }
  expect(held / simulations).toBeGreaterThanOrEqual(0.92);
  expect(held / simulations).toBeLessThanOrEqual(0.98);
});

function gauss(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

test('replies of one token have a wait and no pace', () => {
  const comparison = compared(runOf(6, 20, 1, 1), runOf(6, 30, 2, 1));
  expect(metric(comparison, 'ttft_ms').verdict).toBe('slower');
  expect(metric(comparison, 'tpot_ms')).toMatchObject({ a: null, b: null, difference: null, verdict: 'none' });
});

test('runs are paired by name, and those without a counterpart are named', () => {
  const named = (...names: string[]): TraceRecord => madeUpRecord(names.map((name) => ({ ...runOf(2, 20, 1), name })));
  const result = compareRecords(named('a', 'b', 'c'), named('c', 'd', 'a'));
  expect(result.comparisons.map(({ a, b }) => [a, b])).toEqual([
    ['a', 'a'],
    ['c', 'c'],
  ]);
  expect(result).toMatchObject({ only_in_a: ['b'], only_in_b: ['d'] });
  expect(() => findSubject(named('a'), 'x')).toThrow('the record has no run named "x"');
  expect(() => findSubject(named('a'), 'batch_sweep[0]')).toThrow('no run named');
});

test('in words: first whether they may be compared, then the output, then the figures', () => {
  const result = compareRecords(live, live);
  const text = comparisonText(result, 100);
  const order = ['Comparable.', 'Same greedy output', 'TTFT ms', 'not distinguishable'].map((words) =>
    text.indexOf(words),
  );
  expect(order).toEqual(order.toSorted((x, y) => x - y));
  expect(Math.min(...order)).toBeGreaterThan(0);
  expect(text).not.toMatch(/undefined|NaN|null/);
  expect(comparisonMarkdown(result)).toContain('| TTFT ms | 36.4 | 36.4 | 0.000 | 1.00 |');
  const few = comparisonText(
    { comparisons: [ofLive('short_cached', 'short_without_cache')], only_in_a: ['x'], only_in_b: [] },
    200,
  );
  expect(few).toContain('3 samples each allow no verdict');
  expect(few).toMatch(/TPOT about \d+ samples each/);
  expect(few).toContain('Only in A: x.');
  expect(few).not.toContain('measure both again');
  const claimed = { comparisons: [compared(runOf(30, 20, 1), runOf(30, 22, 2))], only_in_a: [], only_in_b: [] };
  expect(comparisonText(claimed, 200)).toContain('measure both again');
  expect(comparisonText(claimed, 80)).toContain('ITL p99 ms');
});
