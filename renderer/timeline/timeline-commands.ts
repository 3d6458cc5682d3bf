import type { RefObject } from 'react';
import type { TimelineCommandId } from '../../shared/commands.ts';
import type { Controller } from '../state/controller.ts';
import { PACE } from '../../shared/pace.ts';
import type { Lane } from '../trace/lane.ts';
import { describeLane, sayToken } from './describe.ts';
import { laneTop } from './rows.ts';
import { nextStall } from './token-at.ts';
import type { Latest } from './use-pointer.ts';
import type { ViewportControl } from './use-viewport.ts';
import { fitRange, pan, reveal, xToTime, zoom } from './viewport.ts';

const ZOOM_STEP = 1.5;
const PAN_STEP = 0.2;

interface Context {
  latest: RefObject<Latest>;
  view: ViewportControl;
  scroller: RefObject<HTMLDivElement | null>;
  controller: Controller;
  /** Where the pointer is, if it is over the lanes: zooming keeps that moment in place. */
  pointerX: RefObject<number | null>;
}

/** Carries out a command of the timeline. */
export function timelineCommands(id: TimelineCommandId, context: Context): boolean {
  const { latest, view } = context;
  const { trace, marks, lane, size } = latest.current;
  const end = trace.endMs;
  switch (id) {
    case 'zoom-in':
    case 'zoom-out': {
      const anchor = xToTime(view.target(), size.width, context.pointerX.current ?? size.width / 2);
      view.set(zoom(view.target(), id === 'zoom-in' ? ZOOM_STEP : 1 / ZOOM_STEP, anchor, end));
      return true;
    }
    case 'pan-left':
    case 'pan-right':
      view.set(pan(view.target(), id === 'pan-left' ? -PAN_STEP : PAN_STEP, end));
      return true;
    case 'fit':
      if (marks.range !== null) view.set(fitRange(marks.range.from, marks.range.to, end));
      else if (lane !== null) view.set(fitRange(0, lane.endMs, end));
      else view.set(null);
      return true;
    case 'reset':
      view.set(null);
      return true;
    case 'toggle-group':
      toggleGroup(context);
      return true;
    case 'sample-up':
    case 'sample-down':
      selectLane(context, id === 'sample-up' ? -1 : 1);
      return true;
    case 'token-left':
    case 'token-right':
    case 'token-first':
    case 'token-last':
    case 'stall-previous':
    case 'stall-next':
      if (lane !== null) selectToken(context, lane, tokenFor(id, lane, marks.token));
      return true;
  }
}

type TokenCommandId = Extract<TimelineCommandId, `token-${string}` | `stall-${string}`>;

function tokenFor(id: TokenCommandId, lane: Lane, token: number | null): number | null {
  switch (id) {
    case 'token-left':
      return Math.max(0, (token ?? lane.count) - 1);
    case 'token-right':
      return Math.min(lane.count - 1, (token ?? -1) + 1);
    case 'token-first':
      return 0;
    case 'token-last':
      return lane.count - 1;
    case 'stall-previous':
      return nextStall(lane, token, -1, PACE.stall) ?? token;
    case 'stall-next':
      return nextStall(lane, token, 1, PACE.stall) ?? token;
  }
}

function selectToken(context: Context, lane: Lane, token: number | null): void {
  if (token === null || lane.count === 0) {
    context.controller.say('No such token in this sample.');
    return;
  }
  const { controller, view, latest } = context;
  controller.setMarks(() => ({ sample: { group: lane.group, sample: lane.sample }, token }));
  controller.say(sayToken(lane, token));
  const from = token === 0 ? 0 : (lane.at[token - 1] ?? 0);
  view.set(reveal(view.target(), from, lane.at[token] ?? 0, latest.current.trace.endMs));
  revealLane(context, lane);
}

/** The next lane up or down; lanes of collapsed runs are passed over. */
function selectLane(context: Context, direction: 1 | -1): void {
  const { trace, lane, marks } = context.latest.current;
  let group = lane?.group ?? (direction === 1 ? -1 : trace.groups.length);
  let sample = lane?.sample ?? 0;
  for (;;) {
    sample += direction;
    const lanes = trace.groups[group]?.lanes ?? [];
    const hidden = marks.collapsed.has(trace.groups[group]?.name ?? '');
    if (hidden || sample < 0 || sample >= lanes.length) {
      group += direction;
      const next = trace.groups[group];
      if (next === undefined) return;
      sample = direction === 1 ? -1 : next.lanes.length;
      continue;
    }
    const found = lanes[sample];
    const owner = trace.groups[group];
    if (found === undefined || owner === undefined) return;
    context.controller.setMarks(() => ({ sample: { group, sample }, token: null }));
    context.controller.say(describeLane(owner, found));
    revealLane(context, found);
    return;
  }
}

function toggleGroup(context: Context): void {
  const { trace, lane } = context.latest.current;
  const name = trace.groups[lane?.group ?? -1]?.name;
  if (name === undefined) return;
  context.controller.setMarks(({ collapsed }) => ({ collapsed: toggled(collapsed, name) }));
}

export function toggled(collapsed: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const next = new Set(collapsed);
  if (!next.delete(name)) next.add(name);
  return next;
}

function revealLane(context: Context, lane: Lane): void {
  const { rows, size } = context.latest.current;
  const group = rows.groups[lane.group];
  const scroller = context.scroller.current;
  if (group === undefined || scroller === null) return;
  const top = laneTop(rows, group, lane.sample);
  const bottom = top + rows.metrics.lane + rows.metrics.bracket;
  if (top < scroller.scrollTop) scroller.scrollTop = top - rows.metrics.gap;
  else if (bottom > scroller.scrollTop + size.height) scroller.scrollTop = bottom - size.height + rows.metrics.gap;
}
