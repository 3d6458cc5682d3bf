import { counted, ms, msValue } from '../../shared/units.ts';
import { PACE } from '../../shared/pace.ts';
import { type Lane, waitOf } from '../trace/lane.ts';
import { tokenMarks } from '../trace/token-marks.ts';
import { type Bar, decodeBars } from './columns.ts';
import type { Palette } from './palette.ts';
import { type Viewport, timeToX } from './viewport.ts';

/** Where and how a lane is drawn. */
export interface LaneFrame {
  readonly context: CanvasRenderingContext2D;
  readonly palette: Palette;
  readonly view: Viewport;
  readonly width: number;
  readonly y: number;
  readonly height: number;
}

/** Bars narrower than this have no gap to the next and no text. */
const GAP_FROM = 5;
const TEXT_FROM = 22;
const TEXT_PADDING = 5;

export function drawLane(frame: LaneFrame, lane: Lane): void {
  drawWait(frame, lane);
  const bars = decodeBars(lane, frame.view, frame.width);
  // By colour, since a change of fill costs more than a rectangle.
  for (let pace = PACE.usual; pace <= PACE.stall; pace += 1) fillBars(frame, bars, pace);
  for (const bar of bars) {
    if (bar.pace === PACE.stall) markStall(frame, bar);
  }
  if (lane.texts !== null) writeTexts(frame, lane, bars);
  writeEnd(frame, lane);
}

function x(frame: LaneFrame, time: number): number {
  return timeToX(frame.view, frame.width, time);
}

/** Tokenization, then prefill; one colour for both where the record does not tell them apart. */
function drawWait(frame: LaneFrame, lane: Lane): void {
  const { context, palette, y, height } = frame;
  const wait = lane.count > 0 ? (lane.at[0] ?? 0) : lane.endMs;
  const end = x(frame, wait);
  if (end < 0) return;
  const start = x(frame, 0);
  const split = x(frame, lane.tokenizationMs ?? 0);
  context.fillStyle = palette.wait;
  rectangle(frame, split, end, y, height);
  if (lane.tokenizationMs !== null && lane.tokenizationMs > 0) {
    context.fillStyle = palette.tokenization;
    rectangle(frame, start, Math.max(split, start + 1), y, height);
  }
  if (lane.chunks !== null && lane.chunks.length > 1) drawChunks(frame, lane, lane.chunks);
}

/** Chunks ran one after the other; what they leave of the wait was spent outside the runtime. */
function drawChunks(frame: LaneFrame, lane: Lane, chunks: readonly number[]): void {
  const { context, palette, y, height } = frame;
  let time = lane.tokenizationMs ?? 0;
  context.fillStyle = palette.chunk;
  for (const chunk of chunks.slice(0, -1)) {
    time += chunk;
    const at = x(frame, time);
    if (at > 0 && at < frame.width) context.fillRect(Math.round(at) - 1, y, 2, height);
  }
}

function rectangle(frame: LaneFrame, from: number, to: number, y: number, height: number): void {
  const left = Math.max(-2, from);
  const right = Math.min(frame.width + 2, to);
  if (right > left) frame.context.fillRect(left, y, right - left, height);
}

function fillBars(frame: LaneFrame, bars: readonly Bar[], pace: number): void {
  const { context, palette, y, height } = frame;
  context.fillStyle = palette.pace[pace] ?? palette.ink;
  for (const bar of bars) {
    if (bar.pace !== pace) continue;
    const gap = bar.token >= 0 ? Math.min(1, bar.width / GAP_FROM) : 0;
    rectangle(frame, bar.x + gap, bar.x + bar.width, y, height);
  }
}

/** A stall is hatched and carries a flag above it: it can be told without its colour. */
function markStall(frame: LaneFrame, bar: Bar): void {
  const { context, palette, y, height } = frame;
  const left = Math.max(0, bar.x + (bar.width > GAP_FROM ? 1 : 0));
  const right = Math.min(frame.width, bar.x + bar.width);
  const middle = (Math.max(0, left) + right) / 2;
  if (right <= 0 || left >= frame.width) return;
  context.fillStyle = palette.pace[PACE.stall] ?? palette.ink;
  context.beginPath();
  context.moveTo(middle - 4, y - 4);
  context.lineTo(middle + 4, y - 4);
  context.lineTo(middle, y + 1);
  context.fill();
  if (right - left < 8) return;
  context.save();
  context.beginPath();
  context.rect(left, y, right - left, height);
  context.clip();
  context.strokeStyle = palette.onPace[PACE.stall] ?? palette.ink;
  context.globalAlpha = 0.28;
  context.lineWidth = 1.5;
  context.beginPath();
  for (let at = left - height; at < right; at += 6) {
    context.moveTo(at, y + height);
    context.lineTo(at + height, y);
  }
  context.stroke();
  context.restore();
}

function writeTexts(frame: LaneFrame, lane: Lane, bars: readonly Bar[]): void {
  const { context, palette, y, height } = frame;
  context.font = `11px ${palette.font}`;
  context.textBaseline = 'middle';
  for (const bar of bars) {
    if (bar.token < 0 || bar.width < TEXT_FROM || bar.pace === PACE.stall) continue;
    const text = tokenMarks(lane.texts?.[bar.token] ?? '', 40);
    if (text === '' || context.measureText(text).width > bar.width - 2 * TEXT_PADDING) continue;
    context.fillStyle = palette.onPace[bar.pace] ?? palette.ink;
    context.fillText(text, bar.x + TEXT_PADDING, y + height / 2 + 0.5);
  }
}

const ENDINGS = { cancelled: 'stopped by request', failed: 'failed', length: '', eos: 'end of text' };

/** How the request ended, where that is not the cap. */
function writeEnd(frame: LaneFrame, lane: Lane): void {
  const words = lane.stopReason === undefined || lane.stopReason === null ? '' : ENDINGS[lane.stopReason];
  const at = x(frame, lane.endMs) + 7;
  if (words === '' || at > frame.width || at < 0) return;
  const { context, palette, y, height } = frame;
  context.font = `11px ${palette.font}`;
  context.textBaseline = 'middle';
  context.fillStyle = palette.muted;
  context.fillText(words, at, y + height / 2 + 0.5);
}

/** Below the selected lane: its wait and its pace as two brackets with their figures. */
export function drawBracket(frame: LaneFrame, lane: Lane): void {
  const { context, palette } = frame;
  const wait = waitOf(lane);
  if (wait === null) return;
  const top = frame.y + 3;
  const edge = x(frame, wait);
  const end = x(frame, lane.endMs);
  context.font = `600 11px ${palette.font}`;
  context.textBaseline = 'middle';
  const waitWords = `wait ${ms(wait)}`;
  const paceWords =
    lane.meanMs === null ? '' : `${counted(lane.count - 1, 'interval')}, ${msValue(lane.meanMs)} ms each`;
  const waitWidth = context.measureText(waitWords).width;
  brace(frame, x(frame, 0), edge, top, palette.accent);
  if (lane.count > 1) brace(frame, edge, end, top, palette.ink);
  // Words stand under their brace; where the wait is too narrow for its own, the pace's move to the right.
  const waitAt = Math.min(Math.max(x(frame, 0), 0) + 1, frame.width - waitWidth);
  if (edge > 0) {
    context.fillStyle = palette.accent;
    context.fillText(waitWords, waitAt, top + 12);
  }
  const paceAt = Math.max(edge + 6, edge > 0 ? waitAt + waitWidth + 10 : 6);
  context.fillStyle = palette.ink;
  if (paceWords !== '' && end > 0) context.fillText(edge > 0 ? `| ${paceWords}` : paceWords, paceAt, top + 12);
}

function brace(frame: LaneFrame, from: number, to: number, y: number, colour: string): void {
  const { context, width } = frame;
  const left = Math.max(-4, from) + 0.5;
  const right = Math.min(width + 4, to) - 0.5;
  if (right <= left) return;
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(left, y - 2);
  context.lineTo(left, y + 2);
  context.lineTo(right, y + 2);
  context.lineTo(right, y - 2);
  context.stroke();
}
