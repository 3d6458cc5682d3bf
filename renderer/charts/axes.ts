import type uPlot from 'uplot';
import { decimal } from '../../shared/units.ts';
import type { Palette } from '../timeline/palette.ts';

/** Dashes tell series apart where their colours do not. */
export const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 3], [8, 3, 2, 3], [1, 3], [10, 4]];

export function axis(palette: Palette, changes: uPlot.Axis = {}): uPlot.Axis {
  return {
    stroke: palette.muted,
    font: `11px ${palette.font}`,
    labelFont: `11px ${palette.font}`,
    grid: { stroke: palette.grid, width: 1 },
    ticks: { show: false },
    gap: 4,
    ...changes,
  };
}

/** Writes axis values with the decimals that their distance needs. */
export function axisNumbers(_: uPlot, splits: number[]): string[] {
  const step = Math.abs((splits[1] ?? 0) - (splits[0] ?? 0));
  const decimals = step > 0 && step < 1 ? Math.min(3, Math.ceil(-Math.log10(step))) : 0;
  return splits.map((value) => decimal(value, decimals));
}

export function series(palette: Palette, index: number, changes: uPlot.Series = {}): uPlot.Series {
  return {
    stroke: palette.series[index % palette.series.length] ?? palette.ink,
    dash: [...(DASHES[index % DASHES.length] ?? [])],
    width: 1.5,
    points: { show: false },
    ...changes,
  };
}

export const PLAIN: Pick<uPlot.Options, 'legend' | 'cursor' | 'padding'> = {
  legend: { show: false },
  cursor: { drag: { x: false, y: false, setScale: false }, points: { size: 6 } },
  padding: [10, 12, 0, 0],
};

/** Tokens are counted: no tick lies between two. */
export const WHOLE_STEPS = [1, 2, 5]
  .flatMap((step) => [0, 1, 2, 3, 4, 5].map((power) => step * 10 ** power))
  .sort((a, b) => a - b);
