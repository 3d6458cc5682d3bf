import { describe, expect, test } from 'vitest';
import type { Sample, TraceRecord } from '../../../shared/record.ts';
import { stallIndices } from '../../../shared/run-summary.ts';
import { summarizeRecord } from '../../../shared/summarize.ts';
import type { RecordSummary, RunSummary } from '../../../shared/summary.ts';
import { liveRun, recordOf, sample } from '../../support/records.ts';

function summaryOf(record: TraceRecord): RecordSummary {
  const result = summarizeRecord(record);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.summary;
}

function runOf(samples: Sample[]): RunSummary {
  return summaryOf(recordOf(samples)).runs[0]!;
}

/** A sample with these intervals, and sums that are true. */
function paced(ttft: number, intervals: number[], changes: Partial<Sample> = {}): Sample {
  const tokens = intervals.length + 1;
  return sample({
    generated_token_ids: Array.from({ length: tokens }, (_, index) => index),
    generated_tokens: tokens,
    ttft_ms: ttft,
    itl_ms: intervals,
    e2e_ms: intervals.reduce((sum, interval) => sum + interval, ttft),
    ...changes,
  });
}

describe("the reference lab's record", () => {
  const summary = summaryOf(liveRun());
  const short = summary.runs[0]!;

  test('figures of short_cached', () => {
    expect(short).toMatchObject({
      n: 3,
      prompt_tokens: 44,
      output_tokens: { min: 24, max: 24 },
      ttft_ms: { n: 3, median: 36.399, min: 36.34, max: 36.971 },
      tpot_ms: { n: 3, median: 24.093 },
      itl_ms: { n: 69 },
      decode_tokens_per_s: 41.505,
      stop_reasons: { length: 3 },
      stalls: {
        count: 2,
        ms: 349.489,
        samples: 1,
        listed: [
          { sample: 0, token: 20, ms: 201.281 },
          { sample: 0, token: 21, ms: 148.208 },
        ],
        worst: { sample: 0, mean_itl_ms: 37.841, median_itl_ms: 24.522 },
      },
    });
    const { tokenization, prefill, wait, decode } = short.shares;
    expect(tokenization! + prefill!).toBeCloseTo(wait!, 12);
    expect(wait! + decode!).toBeCloseTo(1, 12);
  });

  test('one sentence for each run says where the time went', () => {
    expect(summary.runs.map(({ explanation: { headline, details } }) => [headline, ...details].join(' '))).toEqual([
      'short_cached waited 36.4 ms for its first token, then took 24.1 ms for each of the next. Prefill is 99% of the wait; decode is 95% of the whole time. Sample 1 lost 349 ms of its 907 ms to two stalls; its mean interval (37.8 ms) hides them, its median (24.5 ms) does not.',
      'long_cached waited 86.3 ms for its first token, then took 25.3 ms for each of the next. Prefill is 99% of the wait; decode is 80% of the whole time. Sample 1 waited 274 ms for its first token, 3.2 times the median.',
      'short_without_cache waited 38.3 ms for its first token, then took 39.6 ms for each of the next. Prefill is 99% of the wait; decode is 96% of the whole time. Sample 1 lost 563 ms of its 1,607 ms to three stalls; its mean interval (67.0 ms) hides them, its median (41.8 ms) does not.',
      'long_chunked waited 192 ms for its first token, then took 28.2 ms for each of the next. Prefill is >99% of the wait; decode is 64% of the whole time. Sample 1 waited 703 ms for its first token, 3.7 times the median.',
      'cancelled waited 34.3 ms for its first token, then took 22.4 ms for each of the next, and was stopped by request after 4 tokens. Prefill is 99% of the wait; decode is 66% of the whole time.',
    ]);
  });

  test('its stored figures agree with its samples; that there are few is its only note', () => {
    expect(summary.notes.map(({ kind, text }) => [kind, text])).toEqual([
      ['few-samples', 'Every run has 3 samples: too few to tell a small difference from chance.'],
    ]);
    expect(summary.cold).toEqual({ ttft_ms: 138.267, tpot_ms: 25.619 });
  });
});

describe('stalls', () => {
  test('over 3 times the median, and over 5 ms more than it', () => {
    expect(stallIndices([10, 10, 10, 30])).toEqual([]);
    expect(stallIndices([10, 10, 10, 30.1])).toEqual([3]);
    expect(stallIndices([1, 1, 1, 6])).toEqual([]);
    expect(stallIndices([1, 6.1, 1, 1])).toEqual([1]);
    expect(stallIndices([])).toEqual([]);
  });

  test('several samples: the one that lost most is told, the others counted', () => {
    const { explanation, stalls } = runOf([paced(5, [2, 2, 2, 50]), paced(5, [2, 2, 2, 90]), paced(5, [2, 2, 2])]);
    expect(stalls).toMatchObject({ count: 2, samples: 2, ms: 140, worst: { sample: 1, ms: 90 } });
    expect(explanation.details.at(-1)).toMatch(
      /^Sample 2 lost 90\.0 ms of its 101 ms to one stall; .* hides it, .*\. One other sample stalled too\.$/,
    );
  });
});

describe('what is not in the record stays null', () => {
  test('a sample with nothing but what the lab requires', () => {
    const run = runOf([sample()]);
    expect(run).toMatchObject({ prompt_tokens: null, prefill_tokens_per_s: null, stop_reasons: { not_recorded: 1 } });
    expect(run.shares).toMatchObject({
      tokenization: null,
      prefill: null,
      tokenization_of_wait: null,
      decode: 20 / 30,
    });
    expect(run.explanation).toEqual({
      headline: 'run waited 10.0 ms for its first token, then took 10.0 ms for each of the next.',
      details: ['Decode is 67% of the whole time.'],
    });
  });

  test('replies of one token, of none, and in no time at all', () => {
    const one = runOf([paced(10, [])]);
    expect(one).toMatchObject({ tpot_ms: null, itl_ms: null, decode_tokens_per_s: null });
    expect(one.explanation.headline).toBe('run waited 10.0 ms for its only token.');
    const none = runOf([
      sample({
        generated_token_ids: [],
        generated_tokens: 0,
        itl_ms: [],
        ttft_ms: 0,
        e2e_ms: 0,
        stop_reason: 'failed',
      }),
    ]);
    expect(none.explanation.headline).toBe('run ended after 0.000 ms without a token.');
    expect(none.shares.decode).toBeNull();
    expect(runOf([paced(0, [0, 0], { tokenization_ms: 0, prompt_tokens: 0 })])).toMatchObject({
      decode_tokens_per_s: null,
      prefill_tokens_per_s: null,
    });
  });

  test('a tokenization time that cannot be is left out and noted', () => {
    for (const time of [-1, 11, Infinity]) {
      const summary = summaryOf(recordOf([sample({ tokenization_ms: time, prompt_tokens: 4 })]));
      expect(summary.runs[0]).toMatchObject({ prefill_tokens_per_s: null, shares: { tokenization: null } });
      expect(summary.notes.map(({ kind, path }) => [kind, path])).toContainEqual([
        'tokenization',
        'runs[0].samples[0].tokenization_ms',
      ]);
    }
  });

  test('tokenization that is most of the wait is named', () => {
    const { explanation } = runOf([sample({ tokenization_ms: 6, prompt_tokens: 8 })]);
    expect(explanation.details).toEqual(['Tokenization is 60% of the wait; decode is 67% of the whole time.']);
    expect(runOf([sample({ tokenization_ms: 2 })]).explanation.details[0]).toBe(
      'Prefill is 80% of the wait, tokenization 20%; decode is 67% of the whole time.',
    );
    expect(runOf([sample({ tokenization_ms: 6, prompt_tokens: 8 })]).prefill_tokens_per_s).toBe(2000);
  });
});

describe('notes', () => {
  const five = (): Sample[] => Array.from({ length: 5 }, () => sample());

  test('none for five samples that agree with what is stored', () => {
    const record = recordOf(five());
    record.runs[0]!.median_ttft_ms = 10;
    record.runs[0]!.median_tpot_ms = 10.001;
    expect(summaryOf(record).notes).toEqual([]);
  });

  test('stored figures that the samples contradict', () => {
    const record = recordOf([sample({ tpot_ms: 11 }), ...five()]);
    record.runs[0]!.median_ttft_ms = 9;
    record.runs[0]!.median_tpot_ms = null;
    expect(summaryOf(record).notes.map(({ path, text }) => `${path}: ${text}`)).toEqual([
      'runs[0].samples[0].tpot_ms: The stored figure is 11, but by its intervals it is 10; the latter is shown.',
      'runs[0].median_ttft_ms: The stored figure is 9, but by its samples it is 10; the latter is shown.',
      'runs[0].median_tpot_ms: The stored figure is null, but by its samples it is 10; the latter is shown.',
    ]);
  });

  test('status, random weights, skipped steps, names, and tokens that differ', () => {
    const record = recordOf(five(), {
      status: 'cancelled',
      status_reason: 'Ctrl-C',
      model: { id: 'm', weights: 'synthetic' },
      skipped: [{ step: 'batch of 2', reason: 'no left padding' }],
      runs: [
        { name: 'a', samples: five() },
        { name: 'a', samples: [...five(), sample({ generated_token_ids: [4, 9, 6] })] },
      ],
    });
    expect(summaryOf(record).notes.map(({ kind, path }) => [kind, path])).toEqual([
      ['status', 'status'],
      ['synthetic', 'model.weights'],
      ['skipped', 'skipped[0]'],
      ['duplicate-name', 'runs[1].name'],
      ['tokens-differ', 'runs[1].samples[5].generated_token_ids'],
    ]);
  });
});
