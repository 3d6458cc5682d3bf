import type { Sample, TraceRecord } from '../record.ts';
import { isTiming, sampleRefusal } from '../refusals.ts';
import { stallIndices } from '../run-summary.ts';
import { tokenTimes } from '../token-times.ts';

/**
 * The record in Chrome's trace-event format, which ui.perfetto.dev and chrome://tracing open: a process for each run, a
 * track for each sample. Every request starts at 0, since a record does not hold when it was made; so samples lie under
 * each other. Times are whole microseconds, the format's unit, as exact as the record's 3 decimals.
 */
export interface TraceEvents {
  readonly displayTimeUnit: 'ms';
  readonly otherData: { readonly [name: string]: string };
  readonly traceEvents: readonly TraceEvent[];
}

interface Place {
  readonly pid: number;
  readonly tid: number;
}

export type TraceEvent = Place &
  (
    | { readonly ph: 'M'; readonly name: string; readonly args: { readonly name: string } }
    /** A slice: begin and duration. */
    | (Named & { readonly ph: 'X'; readonly ts: number; readonly dur: number })
    | (Named & { readonly ph: 'i'; readonly ts: number; readonly s: 't' })
    | { readonly ph: 'C'; readonly name: string; readonly ts: number; readonly args: { readonly ms: number } }
  );

interface Named {
  readonly name: string;
  readonly cat: 'request' | 'wait' | 'decode' | 'stall';
  readonly args: { readonly [name: string]: string | number | boolean | null };
}

export function traceEvents(record: TraceRecord): TraceEvents {
  const warmup = record.warmup ?? null;
  const runs = record.runs.map(({ name, samples }) => ({ name, samples }));
  // The warm-up is outside the summarizer's rules: one that cannot be true is left out.
  if (warmup !== null && sampleRefusal(warmup, '') === null) runs.unshift({ name: 'warm-up', samples: [warmup] });
  return {
    displayTimeUnit: 'ms',
    otherData: {
      model: record.model.id,
      ...(record.created_at === undefined ? {} : { created_at: record.created_at }),
      note: 'Every request starts at 0: a record does not hold when it was made.',
    },
    traceEvents: runs.flatMap(({ name, samples }, index) => runEvents(name, samples, index + 1)),
  };
}

function runEvents(name: string, samples: readonly Sample[], pid: number): TraceEvent[] {
  const named = (tid: number, kind: string, text: string): TraceEvent => ({
    ph: 'M',
    pid,
    tid,
    name: kind,
    args: { name: text },
  });
  return [
    named(0, 'process_name', name),
    ...samples.flatMap((sample, index) => [
      named(index + 1, 'thread_name', `sample ${index + 1}`),
      ...sampleEvents(sample, { pid, tid: index + 1 }),
    ]),
  ];
}

/** The request, and within it slices that follow each other without a gap from its start to its end. */
function sampleEvents(sample: Sample, place: Place): TraceEvent[] {
  const events: TraceEvent[] = [];
  const times = tokenTimes(sample);
  const end = microseconds(sample.e2e_ms);
  const slice = (name: string, cat: Named['cat'], from: number, to: number, args: Named['args'] = {}) =>
    events.push({ ph: 'X', ...place, name, cat, ts: from, dur: to - from, args });
  slice('request', 'request', 0, end, requestFacts(sample));
  for (const { name, from, to } of waitParts(sample)) slice(name, 'wait', from, to);
  const stalls = new Set(stallIndices(sample.itl_ms));
  sample.generated_token_ids.forEach((id, token) => {
    const at = microseconds(times[token] ?? 0);
    const name = sample.token_texts?.[token] ?? `#${id}`;
    const interval = sample.itl_ms[token - 1];
    if (interval === undefined) {
      events.push({ ph: 'i', ...place, s: 't', name: `first token: ${name}`, cat: 'wait', ts: at, args: { id } });
      return;
    }
    const stalled = stalls.has(token - 1);
    const from = microseconds(times[token - 1] ?? 0);
    slice(name, stalled ? 'stall' : 'decode', from, at, { token, id, itl_ms: interval, stall: stalled });
    events.push({ ph: 'C', ...place, name: `interval of sample ${place.tid}`, ts: at, args: { ms: interval } });
  });
  return events;
}

/**
 * The wait for the first token: tokenization, then the chunks of the prompt, then what was neither. Only durations of
 * chunks are recorded, so they stand one after the other; a part that was not recorded is not drawn.
 */
function waitParts(sample: Sample): { name: string; from: number; to: number }[] {
  const end = microseconds(sample.ttft_ms);
  const { tokenization_ms: tokenization, prefill_ms: chunks } = sample;
  if (!isTiming(tokenization) || tokenization > sample.ttft_ms) return [{ name: 'wait', from: 0, to: end }];
  let at = microseconds(tokenization);
  const parts = [{ name: 'tokenization', from: 0, to: at }];
  const measured = chunks?.every(isTiming) === true ? chunks.map(microseconds) : [];
  if (measured.length === 0 || at + measured.reduce((sum, chunk) => sum + chunk, 0) > end) {
    return [...parts, { name: 'prefill', from: at, to: end }];
  }
  measured.forEach((chunk, index) => {
    const name = measured.length === 1 ? 'prefill' : `prefill chunk ${index + 1} of ${measured.length}`;
    parts.push({ name, from: at, to: at + chunk });
    at += chunk;
  });
  return at < end ? [...parts, { name: 'outside the model', from: at, to: end }] : parts;
}

function requestFacts(sample: Sample): Named['args'] {
  return {
    ttft_ms: sample.ttft_ms,
    e2e_ms: sample.e2e_ms,
    tokens: sample.generated_tokens,
    ...(sample.prompt_tokens === undefined ? {} : { prompt_tokens: sample.prompt_tokens }),
    ...(sample.stop_reason === undefined ? {} : { stop_reason: sample.stop_reason }),
    ...(sample.use_cache === undefined ? {} : { use_cache: sample.use_cache }),
    ...(sample.chunk_size === undefined ? {} : { chunk_size: sample.chunk_size }),
  };
}

function microseconds(ms: number): number {
  return Math.round(ms * 1000);
}
