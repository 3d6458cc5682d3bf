import type { Display, Rectangle, Screen } from 'electron';
import { only } from '../only.ts';

/** One display with a bar on top. */
export const workArea: Rectangle = { x: 0, y: 40, width: 1920, height: 1040 };
const display = only('Display', { workArea } satisfies Pick<Display, 'workArea'>) as Display;

export const screen = only('screen', { getAllDisplays: () => [display] } satisfies Pick<Screen, 'getAllDisplays'>);
