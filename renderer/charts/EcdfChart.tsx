import { useMemo } from 'react';
import type uPlot from 'uplot';
import { count, ms } from '../../shared/units.ts';
import type { Palette } from '../timeline/palette.ts';
import type { LaneGroup } from '../trace/lane.ts';
import { axis, axisNumbers, DASHES, PLAIN, series } from './axes.ts';
import { ecdf, pooledIntervals } from './ecdf-data.ts';
import { Plot } from './Plot.tsx';

const POINTS = 360;
/** More lines than this cannot be told apart. */
const MAX_LINES = 6;

/** The share of intervals at or under a time, a line for each run; the selected run is drawn strongest. */
export function EcdfChart({
  groups,
  selected,
  palette,
}: {
  groups: readonly LaneGroup[];
  selected: number;
  palette: Palette;
}) {
  const shown = useMemo(() => chooseLines(groups, selected), [groups, selected]);
  const data = useMemo(
    () =>
      ecdf(
        shown.map(({ group }) => pooledIntervals(group)),
        shown.map(({ group }) => group.summary?.itl_ms?.p95 ?? null),
        POINTS,
      ),
    [shown],
  );
  const options = useMemo(
    (): Omit<uPlot.Options, 'width' | 'height'> => ({
      ...PLAIN,
      scales: { x: { time: false }, y: { range: [0, 1.02] } },
      axes: [
        axis(palette, { values: axisNumbers, grid: { show: false }, size: 26, space: 50 }),
        axis(palette, {
          values: (_, splits) => splits.map((share) => `${count(share * 100)}%`),
          size: 44,
          splits: [0, 0.5, 1],
        }),
      ],
      series: [
        {},
        ...shown.map(({ index, colour }) =>
          series(palette, colour, { width: index === selected ? 2.5 : 1.25, alpha: index === selected ? 1 : 0.8 }),
        ),
      ],
    }),
    [palette, selected, shown],
  );
  const aligned = useMemo((): uPlot.AlignedData => [data.x, ...data.shares], [data]);
  const words = shown.map(({ group }) => `${group.name}: half within ${ms(group.summary?.itl_ms?.p50)}`).join('; ');
  return (
    <Plot title="Intervals within, ms" words={words} options={options} data={aligned}>
      <ul className="legend">
        {shown.map(({ group, index, colour }) => (
          <li key={index} className={index === selected ? 'active' : undefined}>
            <svg width="22" height="8" aria-hidden="true">
              <line
                x1="0"
                y1="4"
                x2="22"
                y2="4"
                strokeWidth="2"
                stroke={palette.series[colour] ?? palette.ink}
                strokeDasharray={(DASHES[colour] ?? []).join(' ')}
              />
            </svg>
            <bdi>{group.name}</bdi>
          </li>
        ))}
      </ul>
      {data.beyond > 0 && (
        <p className="chart-note one-line">
          {count(data.beyond)} of {count(data.total)} beyond the axis
        </p>
      )}
    </Plot>
  );
}

/** The selected run and its neighbours, each with a colour of its own. */
function chooseLines(groups: readonly LaneGroup[], selected: number) {
  const measured = groups.flatMap((group, index) => (!group.cold && group.lanes.length > 0 ? [{ group, index }] : []));
  const place = Math.max(
    0,
    measured.findIndex(({ index }) => index === selected),
  );
  const first = Math.max(0, Math.min(place - MAX_LINES + 1, measured.length - MAX_LINES));
  return measured.slice(first, first + MAX_LINES).map((entry, colour) => ({ ...entry, colour }));
}
