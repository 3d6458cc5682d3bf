import { type PointerEvent, type RefObject, useEffect, useMemo, useRef } from 'react';
import type { Controller } from '../state/controller.ts';
import type { Marks } from '../state/state.ts';
import type { Lane, Trace } from '../trace/lane.ts';
import { sayToken } from './describe.ts';
import { type Rows, laneAt } from './rows.ts';
import { tokenAt } from './token-at.ts';
import type { Size } from './use-canvas.ts';
import type { ViewportControl } from './use-viewport.ts';
import { pan, xToTime, zoom } from './viewport.ts';

export interface Hover {
  readonly lane: Lane;
  readonly token: number;
  /** On the page. */
  readonly x: number;
  readonly y: number;
}

export interface Latest {
  readonly trace: Trace;
  readonly rows: Rows;
  readonly lane: Lane | null;
  readonly marks: Marks;
  readonly size: Size;
}

interface Inputs {
  canvas: RefObject<HTMLCanvasElement | null>;
  scroller: RefObject<HTMLDivElement | null>;
  latest: RefObject<Latest>;
  view: ViewportControl;
  setHover: (hover: Hover | null) => void;
  controller: Controller;
}

/** Less than this is a click with an unsteady hand. */
const DRAG_FROM_PX = 4;
const WHEEL_ZOOM = 0.0022;

type Drag = { kind: 'range' | 'pan'; x: number; time: number; moved: boolean };

/** Drag selects a range, Shift or the middle button pans, Ctrl and the wheel zooms, a click selects. */
export function usePointer(inputs: Inputs) {
  const { canvas, scroller, latest, view, setHover, controller } = inputs;
  const x = useRef<number | null>(null);
  const drag = useRef<Drag | null>(null);

  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const onWheel = (event: WheelEvent): void => {
      const { size, trace } = latest.current;
      const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
      if (event.ctrlKey || event.metaKey) {
        const left = canvas.current?.getBoundingClientRect().left ?? 0;
        const anchor = xToTime(view.target(), size.width, event.clientX - left);
        view.set(zoom(view.target(), Math.exp(-event.deltaY * WHEEL_ZOOM), anchor, trace.endMs), true);
      } else if (Math.abs(sideways) > (event.shiftKey ? 0 : Math.abs(event.deltaY))) {
        view.set(pan(view.target(), sideways / Math.max(1, size.width), trace.endMs), true);
      } else return;
      event.preventDefault();
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [canvas, scroller, latest, view]);

  const handlers = useMemo(() => {
    const place = (event: PointerEvent<HTMLCanvasElement>) => {
      const box = event.currentTarget.getBoundingClientRect();
      const left = event.clientX - box.left;
      return { left, top: event.clientY - box.top, time: xToTime(view.now(), latest.current.size.width, left) };
    };
    const hit = (top: number, time: number): { lane: Lane; token: number } | null => {
      const lane = laneAt(latest.current.rows, top + (scroller.current?.scrollTop ?? 0));
      const token = lane === null ? null : tokenAt(lane, time);
      return lane === null || token === null ? null : { lane, token };
    };
    return {
      onPointerDown(event: PointerEvent<HTMLCanvasElement>) {
        if (event.button > 1) return;
        const { left, time } = place(event);
        const kind = event.shiftKey || event.button === 1 ? 'pan' : 'range';
        drag.current = { kind, x: left, time, moved: false };
        event.currentTarget.setPointerCapture(event.pointerId);
        setHover(null);
      },
      onPointerMove(event: PointerEvent<HTMLCanvasElement>) {
        const { left, top, time } = place(event);
        x.current = left;
        const { current } = drag;
        if (current === null) {
          const found = hit(top, time);
          setHover(found === null ? null : { ...found, x: event.clientX, y: event.clientY });
          return;
        }
        if (!current.moved && Math.abs(left - current.x) < DRAG_FROM_PX) return;
        current.moved = true;
        if (current.kind === 'range') {
          const [from, to] = [Math.max(0, Math.min(current.time, time)), Math.max(0, current.time, time)];
          controller.setMarks(() => ({ range: { from, to } }));
        } else {
          const { size, trace } = latest.current;
          view.set(pan(view.now(), (current.x - left) / Math.max(1, size.width), trace.endMs), true);
          current.x = left;
        }
      },
      onPointerUp(event: PointerEvent<HTMLCanvasElement>) {
        const { current } = drag;
        drag.current = null;
        if (current === null || current.moved || current.kind === 'pan') return;
        const { top, time } = place(event);
        const lane = laneAt(latest.current.rows, top + (scroller.current?.scrollTop ?? 0));
        if (lane === null) return;
        const token = tokenAt(lane, time);
        controller.setMarks(() => ({ sample: { group: lane.group, sample: lane.sample }, token, range: null }));
        if (token !== null) controller.say(sayToken(lane, token));
      },
      onPointerLeave() {
        x.current = null;
        setHover(null);
      },
      onPointerCancel() {
        drag.current = null;
      },
    };
  }, [controller, latest, scroller, setHover, view]);

  return { handlers, x };
}
