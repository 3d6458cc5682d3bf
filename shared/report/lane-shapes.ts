import { PACE, pacesOf } from '../pace.ts';
import type { Sample } from '../record.ts';
import { isTiming } from '../refusals.ts';
import { tokenTimes } from '../token-times.ts';

/** A stretch of a lane, in pixels from its start. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

export interface LaneShapes {
  readonly tokenization: Stretch | null;
  readonly wait: Stretch;
  /** Where the chunks of the prompt meet; empty where they were not measured. */
  readonly chunkMarks: readonly number[];
  /** Between tokens, each with its pace. */
  readonly intervals: readonly (Stretch & { readonly pace: number })[];
  /** Several intervals share a stretch, which has the pace of the slowest. */
  readonly merged: boolean;
  readonly end: number;
}

/** Tokens narrower than this on average are drawn as columns of this width. */
const NARROW = 3;
const COLUMN = 1;

/** What a request looks like when a millisecond is `scale` pixels wide. */
export function laneShapes(sample: Sample, scale: number): LaneShapes {
  const { tokenization_ms: tokenization, ttft_ms: ttft, e2e_ms: e2e } = sample;
  const known = isTiming(tokenization) && tokenization <= ttft ? tokenization : null;
  const times = tokenTimes(sample);
  const width = (e2e - ttft) * scale;
  const merged = sample.itl_ms.length > 0 && width / sample.itl_ms.length < NARROW;
  const paces = pacesOf(sample.itl_ms);
  const intervals = merged
    ? columns(times, paces, scale)
    : sample.itl_ms.map((_, index) => ({
        from: (times[index] ?? 0) * scale,
        to: (times[index + 1] ?? 0) * scale,
        pace: paces[index] ?? PACE.usual,
      }));
  return {
    tokenization: known === null ? null : { from: 0, to: known * scale },
    wait: { from: (known ?? 0) * scale, to: ttft * scale },
    chunkMarks: chunkMarks(sample, known).map((at) => at * scale),
    intervals,
    merged,
    end: e2e * scale,
  };
}

/** Pixel columns with the slowest pace in each, neighbours of one pace joined. */
function columns(times: Float64Array, paces: Uint8Array, scale: number): (Stretch & { pace: number })[] {
  const start = (times[0] ?? 0) * scale;
  const end = (times.at(-1) ?? 0) * scale;
  const slowest = new Uint8Array(Math.max(1, Math.ceil((end - start) / COLUMN))).fill(PACE.usual);
  paces.forEach((pace, index) => {
    const from = Math.floor(((times[index] ?? 0) * scale - start) / COLUMN);
    const to = Math.max(from + 1, Math.ceil(((times[index + 1] ?? 0) * scale - start) / COLUMN));
    for (let column = from; column < Math.min(to, slowest.length); column += 1) {
      if (pace > (slowest[column] ?? 0)) slowest[column] = pace;
    }
  });
  const found: (Stretch & { pace: number })[] = [];
  let from = 0;
  for (let column = 1; column <= slowest.length; column += 1) {
    if (column < slowest.length && slowest[column] === slowest[from]) continue;
    found.push({
      from: start + from * COLUMN,
      to: Math.min(end, start + column * COLUMN),
      pace: slowest[from] ?? PACE.usual,
    });
    from = column;
  }
  return found;
}

/** Only durations are recorded: the chunks stand one after the other, and the last mark is where the prompt was through. */
function chunkMarks(sample: Sample, tokenization: number | null): number[] {
  const { prefill_ms: chunks, ttft_ms: ttft } = sample;
  if (chunks === undefined || chunks.length < 2 || !chunks.every(isTiming)) return [];
  let at = tokenization ?? 0;
  const marks = chunks.map((chunk) => (at += chunk));
  return at <= ttft ? marks : [];
}
