import { type RefObject, useLayoutEffect, useState } from 'react';

export const AXIS_HEIGHT = 26;
/** As --gutter in the style sheet. */
export const GUTTER = 196;

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The room for lanes, beside the gutter. */
export function useSize(scroller: RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const measure = (): void => {
      const next = { width: Math.max(0, element.clientWidth - GUTTER), height: element.clientHeight };
      setSize((now) => (now.width === next.width && now.height === next.height ? now : next));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller]);
  return size;
}

/** Gives the canvas its size in device pixels; draws in CSS pixels. Null when there is nothing to draw on. */
export function fitCanvas(
  canvas: HTMLCanvasElement | null,
  width: number,
  height: number,
): CanvasRenderingContext2D | null {
  if (canvas === null || width <= 0 || height <= 0) return null;
  const ratio = window.devicePixelRatio || 1;
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext('2d');
  context?.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}
