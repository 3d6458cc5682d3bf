import { z } from 'zod';

/** In device-independent pixels, as Electron counts. */
export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

export const MINIMUM_SIZE = { width: 900, height: 600 } as const;
const DEFAULT_SIZE = { width: 1280, height: 800 } as const;

export const windowPlaceSchema = z.object({
  bounds: z.object({ x: z.int(), y: z.int(), width: z.int(), height: z.int() }).nullable(),
  maximized: z.boolean(),
});
export type WindowPlace = z.infer<typeof windowPlaceSchema>;

/**
 * Where the window opens: where it was, moved and shrunk so that all of it lies on one display that is there now. A
 * display that has been unplugged since gives the nearest one. `workAreas` are the displays without their bars.
 */
export function clampedBounds(wanted: Rectangle | null, workAreas: readonly Rectangle[]): Rectangle {
  const [first] = workAreas;
  if (first === undefined) return { x: 0, y: 0, ...DEFAULT_SIZE };
  if (wanted === null) return centered(first);
  const area = workAreas.reduce((best, next) => (distance(wanted, next) < distance(wanted, best) ? next : best), first);
  const width = Math.max(MINIMUM_SIZE.width, Math.min(wanted.width, area.width));
  const height = Math.max(MINIMUM_SIZE.height, Math.min(wanted.height, area.height));
  return {
    x: clamp(wanted.x, area.x, Math.max(area.x, area.x + area.width - width)),
    y: clamp(wanted.y, area.y, Math.max(area.y, area.y + area.height - height)),
    width,
    height,
  };
}

function centered(area: Rectangle): Rectangle {
  const width = Math.max(MINIMUM_SIZE.width, Math.min(DEFAULT_SIZE.width, area.width));
  const height = Math.max(MINIMUM_SIZE.height, Math.min(DEFAULT_SIZE.height, area.height));
  return {
    x: Math.round(area.x + Math.max(0, area.width - width) / 2),
    y: Math.round(area.y + Math.max(0, area.height - height) / 2),
    width,
    height,
  };
}

/** Between the centres: 0 for a window in the middle of a display. */
function distance(a: Rectangle, b: Rectangle): number {
  return Math.hypot(a.x + a.width / 2 - (b.x + b.width / 2), a.y + a.height / 2 - (b.y + b.height / 2));
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
