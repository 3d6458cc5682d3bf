import { useMemo } from 'react';
import type uPlot from 'uplot';
import { count, ms } from '../../shared/units.ts';
import { axis, axisNumbers, DASHES, PLAIN, WHOLE_STEPS } from '../charts/axes.ts';
import { intervalData } from '../charts/interval-data.ts';
import { Plot } from '../charts/Plot.tsx';
import type { Palette } from '../timeline/palette.ts';
import type { LaneGroup } from '../trace/lane.ts';

const MOST_LANES = 12;
const MAX_POINTS = 1200;

/** The intervals of both runs over each other: the first sample of each strong, the others thin; B dashed. */
export function PairChart({ a, b, palette }: { a: LaneGroup; b: LaneGroup; palette: Palette }) {
  const sides = useMemo(() => [a, b].map(({ lanes }) => lanes.slice(0, MOST_LANES)), [a, b]);
  const data = useMemo(() => intervalData(sides.flat(), MAX_POINTS), [sides]);
  const options = useMemo(() => optionsFor(sides, palette), [sides, palette]);
  const aligned = useMemo((): uPlot.AlignedData => [data.x, ...data.lanes], [data]);
  const words = [a, b].map(({ name, summary }) => `${name}: median interval ${ms(summary?.itl_ms?.p50)}`).join('; ');
  const more = Math.max(a.lanes.length, b.lanes.length) > MOST_LANES;
  return (
    <Plot title="Interval before each token, ms" words={words} options={options} data={aligned}>
      <ul className="legend">
        {[a, b].map(({ name }, index) => (
          <li key={name}>
            <svg width="22" height="8" aria-hidden="true">
              <line
                x1="0"
                y1="4"
                x2="22"
                y2="4"
                strokeWidth="2"
                stroke={palette.series[index] ?? palette.ink}
                strokeDasharray={(DASHES[index] ?? []).join(' ')}
              />
            </svg>
            <bdi>{name}</bdi>
          </li>
        ))}
      </ul>
      {(more || data.thinned) && (
        <p className="chart-note one-line">
          {more && `the first ${count(MOST_LANES)} samples of each`}
          {more && data.thinned && '; '}
          {data.thinned && 'each point the longest of several'}
        </p>
      )}
    </Plot>
  );
}

function optionsFor(sides: readonly (readonly unknown[])[], palette: Palette): Omit<uPlot.Options, 'width' | 'height'> {
  return {
    ...PLAIN,
    scales: {
      x: { time: false, range: (plot) => [2, Math.max(3, plot.data[0].at(-1) ?? 3)] },
      y: { range: (_, __, max) => [0, Math.max((max ?? 0) * 1.12, 0.001)] },
    },
    axes: [
      axis(palette, { values: axisNumbers, grid: { show: false }, size: 26, space: 60, incrs: WHOLE_STEPS }),
      axis(palette, { values: axisNumbers, size: 44, space: 34 }),
    ],
    series: [
      {},
      ...sides.flatMap((lanes, side) =>
        lanes.map(
          (_, index): uPlot.Series => ({
            stroke: palette.series[side] ?? palette.ink,
            dash: [...(DASHES[side] ?? [])],
            width: index === 0 ? 2 : 1,
            alpha: index === 0 ? 1 : 0.4,
            points: { show: false },
          }),
        ),
      ),
    ],
  };
}
