import type { Sample, TraceRecord } from '../../shared/record.ts';
import { countStalls, pacesOf } from '../../shared/pace.ts';
import { mean, median } from '../../shared/statistics.ts';
import type { RunSummary } from '../../shared/summary.ts';
import { type Lane, type LaneGroup, PACE_BLOCK, type Trace, raiseBlocks } from './lane.ts';

export const COLD_NAME = 'warm-up';

/** The lanes of a record whose figures were not refused. */
export function traceOfRecord(record: TraceRecord, summaries: readonly RunSummary[]): Trace {
  const groups: LaneGroup[] = [];
  const warmup = record.warmup ?? null;
  if (warmup !== null && drawable(warmup)) groups.push(coldGroup(warmup, 0));
  record.runs.forEach((run, index) => {
    const group = groups.length;
    const lanes = run.samples.map((sample, place) => laneOfSample(sample, `run:${index}:${place}`, group, place));
    groups.push({ name: run.name, cold: false, lanes, summary: summaries[index] ?? null, planned: null });
  });
  return { groups, endMs: endOf(groups) };
}

export function coldGroup(warmup: Sample, group: number): LaneGroup {
  const lane = laneOfSample(warmup, 'cold', group, 0);
  return { name: COLD_NAME, cold: true, lanes: [lane], summary: null, planned: null };
}

export function endOf(groups: readonly LaneGroup[]): number {
  let end = 0;
  for (const { lanes } of groups) for (const lane of lanes) end = Math.max(end, lane.endMs);
  return end;
}

/** The warm-up is outside the summarizer's rules: what cannot be a time is not drawn. */
function drawable(sample: Sample): boolean {
  return [sample.ttft_ms, sample.e2e_ms, ...sample.itl_ms].every((time) => Number.isFinite(time) && time >= 0);
}

export function laneOfSample(sample: Sample, key: string, group: number, place: number): Lane {
  // The warm-up may hold intervals of tokens that it does not count.
  const count = sample.itl_ms.length + (sample.generated_tokens > 0 || sample.itl_ms.length > 0 ? 1 : 0);
  const intervals = new Float64Array(count);
  const at = new Float64Array(count);
  if (count > 0) {
    intervals[0] = sample.ttft_ms;
    intervals.set(sample.itl_ms, 1);
    let time = 0;
    for (let index = 0; index < count; index += 1) {
      time += intervals[index] ?? 0;
      at[index] = time;
    }
  }
  const medianMs = sample.itl_ms.length > 0 ? median(sample.itl_ms) : null;
  // The first token has the pace 0, PACE.first.
  const pace = new Uint8Array(count);
  if (medianMs !== null) pace.set(pacesOf(sample.itl_ms, medianMs), 1);
  const blocks = new Uint8Array(Math.ceil(count / PACE_BLOCK));
  raiseBlocks(blocks, pace, 0, count);
  const { tokenization_ms: tokenization, ttft_ms: wait } = sample;
  const fits = tokenization !== undefined && tokenization >= 0 && tokenization <= wait;
  const prefill = sample.prefill_ms;
  const texts = sample.token_texts;
  return {
    key,
    group,
    sample: place,
    promptTokens: sample.prompt_tokens ?? null,
    tokenizationMs: fits ? tokenization : null,
    chunks: prefill !== undefined && prefill.every((time) => Number.isFinite(time) && time >= 0) ? prefill : null,
    count,
    at,
    intervals,
    pace,
    blocks,
    stalls: countStalls(pace),
    medianMs,
    meanMs: sample.itl_ms.length > 0 ? mean(sample.itl_ms) : null,
    endMs: sample.e2e_ms,
    ids: sample.generated_token_ids,
    texts: texts !== undefined && texts.length === count ? texts : null,
    text: sample.text ?? null,
    prompt: sample.prompt ?? null,
    cap: sample.max_new_tokens ?? null,
    cacheTokens: sample.cache_tokens_before_release ?? null,
    observerMs: sample.observer_ms ?? null,
    stopReason: sample.stop_reason ?? null,
  };
}
