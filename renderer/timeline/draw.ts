import type { Lane } from '../trace/lane.ts';
import { drawBracket, drawLane } from './draw-lane.ts';
import type { Palette } from './palette.ts';
import { type GroupRows, type Rows, groupsBetween, laneTop, lanesBetween } from './rows.ts';
import { timeTicks } from './ticks.ts';
import { type Viewport, timeToX } from './viewport.ts';

export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

export interface Scene {
  readonly rows: Rows;
  readonly view: Viewport;
  readonly width: number;
  readonly height: number;
  readonly scrollTop: number;
  readonly selected: Lane | null;
  readonly token: number | null;
  readonly hovered: { readonly lane: Lane; readonly token: number } | null;
  readonly range: TimeRange | null;
}

/** Bars leave this much of their lane free above and below. */
const BAR_INSET = 3;

/** Draws the lanes that are on screen, and nothing else. */
export function drawScene(context: CanvasRenderingContext2D, scene: Scene, palette: Palette): void {
  const { rows, width, height, scrollTop } = scene;
  context.clearRect(0, 0, width, height);
  context.fillStyle = palette.grid;
  for (const tick of timeTicks(scene.view, width)) {
    context.fillRect(Math.round(timeToX(scene.view, width, tick.ms)), 0, 1, height);
  }
  for (const group of groupsBetween(rows, scrollTop, scrollTop + height)) {
    if (group.collapsed) drawCollapsed(context, scene, palette, group);
    else drawGroup(context, scene, palette, group);
    context.fillStyle = palette.line;
    context.fillRect(0, Math.round(group.top + group.height - scrollTop) - 1, width, 1);
  }
  drawRange(context, scene, palette);
}

function drawGroup(context: CanvasRenderingContext2D, scene: Scene, palette: Palette, group: GroupRows): void {
  const { rows, width, scrollTop, selected } = scene;
  const [first, last] = lanesBetween(rows, group, scrollTop, scrollTop + scene.height);
  for (let index = first; index < last; index += 1) {
    const lane = group.group.lanes[index];
    if (lane === undefined) continue;
    const top = laneTop(rows, group, index) - scrollTop;
    const isSelected = lane.key === selected?.key;
    if (isSelected) {
      context.fillStyle = palette.selected;
      context.fillRect(0, top, width, rows.metrics.lane + rows.metrics.bracket);
    }
    const frame = {
      context,
      palette,
      view: scene.view,
      width,
      y: top + BAR_INSET,
      height: rows.metrics.lane - 2 * BAR_INSET,
    };
    if (group.group.cold) context.globalAlpha = 0.62;
    drawLane(frame, lane);
    context.globalAlpha = 1;
    if (isSelected) {
      drawBracket({ ...frame, y: top + rows.metrics.lane }, lane);
      if (scene.token !== null) outline(context, scene, palette, lane, scene.token, top, 2);
    }
    if (scene.hovered?.lane.key === lane.key) outline(context, scene, palette, lane, scene.hovered.token, top, 1);
  }
}

/** All lanes of a run above each other in one row: enough to see which was the odd one. */
function drawCollapsed(context: CanvasRenderingContext2D, scene: Scene, palette: Palette, group: GroupRows): void {
  const { lanes } = group.group;
  const room = group.height - 2 * BAR_INSET - 2;
  const shown = Math.min(lanes.length, Math.floor(room / 3));
  const height = Math.max(2, Math.floor(room / Math.max(1, shown)) - 1);
  for (let index = 0; index < shown; index += 1) {
    const lane = lanes[index];
    if (lane === undefined) continue;
    const y = group.top - scene.scrollTop + BAR_INSET + 1 + index * (height + 1);
    drawLane(
      { context, palette, view: scene.view, width: scene.width, y, height },
      { ...lane, texts: null, stopReason: null },
    );
  }
}

/** A frame around a token; token 0 is the wait. */
function outline(
  context: CanvasRenderingContext2D,
  scene: Scene,
  palette: Palette,
  lane: Lane,
  token: number,
  top: number,
  thickness: number,
): void {
  const to = timeToX(scene.view, scene.width, lane.at[token] ?? 0);
  const from =
    token === 0 ? timeToX(scene.view, scene.width, 0) : timeToX(scene.view, scene.width, lane.at[token - 1] ?? 0);
  context.strokeStyle = palette.ink;
  context.lineWidth = thickness;
  const width = Math.max(3, to - from);
  context.strokeRect(from, top + BAR_INSET - 1, width, scene.rows.metrics.lane - 2 * BAR_INSET + 2);
}

function drawRange(context: CanvasRenderingContext2D, scene: Scene, palette: Palette): void {
  if (scene.range === null) return;
  const left = timeToX(scene.view, scene.width, scene.range.from);
  const right = timeToX(scene.view, scene.width, scene.range.to);
  context.fillStyle = palette.range;
  context.fillRect(left, 0, right - left, scene.height);
  context.fillStyle = palette.accent;
  context.fillRect(Math.round(left), 0, 1, scene.height);
  context.fillRect(Math.round(right) - 1, 0, 1, scene.height);
}

/** The axis above the lanes: it does not scroll with them. */
export function drawAxis(
  context: CanvasRenderingContext2D,
  scene: Pick<Scene, 'view' | 'width' | 'range'>,
  height: number,
  palette: Palette,
): void {
  context.clearRect(0, 0, scene.width, height);
  context.font = `11px ${palette.font}`;
  context.textBaseline = 'middle';
  for (const tick of timeTicks(scene.view, scene.width)) {
    const x = Math.round(timeToX(scene.view, scene.width, tick.ms));
    context.fillStyle = palette.grid;
    context.fillRect(x, height - 5, 1, 5);
    context.fillStyle = palette.muted;
    const text = tick.ms === 0 ? 'request' : tick.label;
    const half = context.measureText(text).width / 2;
    if (x + half > scene.width - 2) continue;
    context.textAlign = x < half ? 'left' : 'center';
    context.fillText(text, x < half ? x : x, height / 2);
  }
  context.textAlign = 'left';
}
