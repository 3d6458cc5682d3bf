import { type Lane, firstTokenAt, highestPace } from '../trace/lane.ts';
import { type Viewport, timeToX, xToTime } from './viewport.ts';

/** A stretch of pixels of one colour, standing for one token or for many. */
export interface Bar {
  x: number;
  width: number;
  pace: number;
  /** The token it ends with; -1 where it stands for many. */
  token: number;
}

/** Below this mean width a token cannot be told from its neighbour, and pixel columns are drawn instead. */
const MIN_TOKEN_PX = 3;

/**
 * What of a lane's decode is on screen: a bar for each token, or, zoomed out, for each run of pixel columns with the
 * same highest pace, so that a stall among thousands of tokens is never lost.
 */
export function decodeBars(lane: Lane, view: Viewport, width: number): Bar[] {
  if (lane.count < 2) return [];
  const first = Math.max(1, firstTokenAt(lane, view.start));
  const last = Math.min(lane.count - 1, firstTokenAt(lane, view.end));
  if (first > last) return [];
  const from = timeToX(view, width, lane.at[first - 1] ?? 0);
  const to = timeToX(view, width, lane.at[last] ?? 0);
  const tokens = last - first + 1;
  return (to - from) / tokens >= MIN_TOKEN_PX
    ? tokenBars(lane, view, width, first, last)
    : columnBars(lane, view, width, Math.max(0, from), Math.min(width, to));
}

function tokenBars(lane: Lane, view: Viewport, width: number, first: number, last: number): Bar[] {
  const bars: Bar[] = [];
  let x = timeToX(view, width, lane.at[first - 1] ?? 0);
  for (let token = first; token <= last; token += 1) {
    const end = timeToX(view, width, lane.at[token] ?? 0);
    bars.push({ x, width: end - x, pace: lane.pace[token] ?? 0, token });
    x = end;
  }
  return bars;
}

function columnBars(lane: Lane, view: Viewport, width: number, from: number, to: number): Bar[] {
  const bars: Bar[] = [];
  let open: Bar | undefined;
  let token = Math.max(1, firstTokenAt(lane, xToTime(view, width, Math.floor(from))));
  let usual: number = lane.pace[token] ?? 0;
  for (let x = Math.floor(from); x < to; x += 1) {
    const next = Math.max(token, firstTokenAt(lane, xToTime(view, width, x + 1)));
    // A column in which no token arrives belongs to the interval of the next one.
    usual = next > token ? highestPace(lane, token, next) : (lane.pace[token] ?? usual);
    token = next;
    if (open !== undefined && open.pace === usual) open.width += 1;
    else {
      open = { x, width: 1, pace: usual, token: -1 };
      bars.push(open);
    }
  }
  return bars;
}
