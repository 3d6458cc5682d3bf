import { useCallback, useEffect, useMemo, useRef } from 'react';
import { busy } from '../idle.ts';
import { type Viewport, fitAll, within } from './viewport.ts';

/** How much of the way to its target the view moves in a frame, and when it is there. */
const APPROACH = 0.38;
const CLOSE_ENOUGH = 0.001;

/**
 * The stretch of time on screen, outside React: it changes many times a second and only canvases follow it. Null means
 * that it shows everything and grows with it. Moves glide, unless less motion is asked for.
 */
export interface ViewportControl {
  now(): Viewport;
  target(): Viewport;
  /** `jump` for what follows the pointer: no gliding. */
  set(view: Viewport | null, jump?: boolean): void;
}

export function useViewport(endMs: () => number, redraw: () => void): ViewportControl {
  const state = useRef<{ shown: Viewport | null; goal: Viewport | null; frame: number | undefined; done: () => void }>({
    shown: null,
    goal: null,
    frame: undefined,
    done: () => undefined,
  });

  const stop = useCallback(() => {
    const { current } = state;
    if (current.frame !== undefined) cancelAnimationFrame(current.frame);
    current.frame = undefined;
    current.done();
  }, []);
  useEffect(() => stop, [stop]);

  return useMemo(() => {
    const { current } = state;
    const shownOrAll = (): Viewport => (current.shown === null ? fitAll(endMs()) : within(current.shown, endMs()));
    const goalOrAll = (): Viewport => (current.goal === null ? fitAll(endMs()) : within(current.goal, endMs()));
    const step = (): void => {
      const from = shownOrAll();
      const to = goalOrAll();
      const span = to.end - to.start;
      const start = from.start + (to.start - from.start) * APPROACH;
      const end = from.end + (to.end - from.end) * APPROACH;
      if (Math.abs(start - to.start) + Math.abs(end - to.end) < span * CLOSE_ENOUGH) {
        current.shown = current.goal;
        current.frame = undefined;
        current.done();
      } else {
        current.shown = { start, end };
        current.frame = requestAnimationFrame(step);
      }
      redraw();
    };
    return {
      now: shownOrAll,
      target: goalOrAll,
      set(view, jump = false) {
        current.goal = view;
        if (jump || matchMedia('(prefers-reduced-motion: reduce)').matches) {
          stop();
          current.shown = view;
          redraw();
        } else if (current.frame === undefined) {
          current.done = busy();
          current.frame = requestAnimationFrame(step);
        }
      },
    };
  }, [endMs, redraw, stop]);
}
