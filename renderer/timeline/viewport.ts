/** The stretch of time that is on screen, in milliseconds from the start of a request. */
export interface Viewport {
  readonly start: number;
  readonly end: number;
}

/** Closer than this nothing is left to see: times are recorded with 3 decimals. */
export const MIN_SPAN_MS = 0.05;
/** Room on the right, so that the last token does not touch the edge. */
const MARGIN = 1.03;

/** Everything from the start to `endMs`. */
export function fitAll(endMs: number): Viewport {
  return { start: 0, end: Math.max(endMs, MIN_SPAN_MS) * MARGIN };
}

/** A stretch with a little room on both sides. */
export function fitRange(from: number, to: number, endMs: number): Viewport {
  const room = Math.max(to - from, MIN_SPAN_MS) * 0.04;
  return within({ start: Math.min(from, to) - room, end: Math.max(from, to) + room }, endMs);
}

/** `factor` above 1 shows less time. The moment `anchor` stays where it is. */
export function zoom(view: Viewport, factor: number, anchor: number, endMs: number): Viewport {
  const span = Math.max((view.end - view.start) / factor, MIN_SPAN_MS);
  const share = (anchor - view.start) / (view.end - view.start);
  const start = anchor - share * span;
  return within({ start, end: start + span }, endMs);
}

/** Moves by a share of what is on screen; positive shows later times. */
export function pan(view: Viewport, share: number, endMs: number): Viewport {
  const step = share * (view.end - view.start);
  return within({ start: view.start + step, end: view.end + step }, endMs);
}

/** Never before the start, never past the end, never wider than everything. */
export function within(view: Viewport, endMs: number): Viewport {
  const all = fitAll(endMs);
  const span = Math.min(Math.max(view.end - view.start, MIN_SPAN_MS), all.end);
  const start = Math.min(Math.max(view.start, 0), all.end - span);
  return { start, end: start + span };
}

/** Scrolls as little as needed to have `from`..`to` on screen; a longer stretch is shown from its start. */
export function reveal(view: Viewport, from: number, to: number, endMs: number): Viewport {
  if (from >= view.start && to <= view.end) return view;
  const span = view.end - view.start;
  const room = span * 0.1;
  const start = from < view.start || to - from > span ? from - room : to - span + room;
  return within({ start, end: start + span }, endMs);
}

export function timeToX(view: Viewport, width: number, time: number): number {
  return ((time - view.start) / (view.end - view.start)) * width;
}

export function xToTime(view: Viewport, width: number, x: number): number {
  return view.start + (x / width) * (view.end - view.start);
}
