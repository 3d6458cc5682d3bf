import { type RefObject, useMemo, useRef } from 'react';
import type uPlot from 'uplot';
import { count, counted, ms } from '../../shared/units.ts';
import type { Palette } from '../timeline/palette.ts';
import type { Lane, LaneGroup } from '../trace/lane.ts';
import { axis, axisNumbers, PLAIN, series, WHOLE_STEPS } from './axes.ts';
import { intervalData } from './interval-data.ts';
import { Plot } from './Plot.tsx';

const MAX_LANES = 24;
const MAX_POINTS = 1500;
const LABELLED_STALLS = 4;

interface Props {
  group: LaneGroup;
  lanes: readonly Lane[];
  palette: Palette;
  /** Changes when the lanes have grown. */
  version: number;
  /** Place of the selected sample, drawn strongest. */
  strong: number;
}

/** The interval before each token, all samples of a run over each other. */
export function IntervalChart({ group, lanes, palette, version, strong }: Props) {
  const shown = useMemo(() => lanes.slice(0, MAX_LANES), [lanes]);
  // The lanes grow in place: the version stands for their content.
  const data = useMemo(() => ({ ...intervalData(shown, MAX_POINTS), version }), [shown, version]);
  const median = group.summary?.itl_ms?.p50 ?? (lanes.length === 1 ? (lanes[0]?.medianMs ?? null) : null);
  const columns = shown.length;
  // Read when drawing: while a run is going on they change several times a second, and the plot stays.
  const marks = useRef<PlotMarks>({ median, stalls: data.stalls });
  marks.current = { median, stalls: data.stalls };
  const options = useMemo(() => optionsFor(columns, palette, strong, marks), [columns, palette, strong]);
  const aligned = useMemo((): uPlot.AlignedData => [data.x, ...data.lanes], [data]);
  const more = lanes.length > MAX_LANES ? `; first ${MAX_LANES} of ${count(lanes.length)} samples` : '';
  const thin = data.thinned ? '; each point the longest of several' : '';
  const words = `${counted(columns, 'sample')}, median interval ${ms(median)}, ${counted(data.stalls.length, 'stall')}.`;
  return (
    <Plot title="Interval before each token, ms" words={words} options={options} data={aligned}>
      <p className="chart-note one-line">
        <bdi>{group.name}</bdi>
        {columns > 1 && `, sample ${strong + 1} strong${more}`}
        {thin}
      </p>
    </Plot>
  );
}

interface PlotMarks {
  readonly median: number | null;
  readonly stalls: readonly { readonly x: number; readonly y: number }[];
}

function optionsFor(
  columns: number,
  palette: Palette,
  strong: number,
  marks: RefObject<PlotMarks>,
): Omit<uPlot.Options, 'width' | 'height'> {
  return {
    ...PLAIN,
    scales: {
      // The first interval lies before token 2.
      x: { time: false, range: (plot) => [2, Math.max(3, plot.data[0].at(-1) ?? 3)] },
      y: { range: (_, __, max) => [0, Math.max((max ?? 0) * 1.12, 0.001)] },
    },
    axes: [
      axis(palette, { values: axisNumbers, grid: { show: false }, size: 26, space: 60, incrs: WHOLE_STEPS }),
      axis(palette, { values: axisNumbers, size: 44, space: 34 }),
    ],
    series: [{}, ...Array.from({ length: columns }, (_, index) => sampleSeries(palette, index, index === strong))],
    hooks: {
      draw: [
        (plot) => drawMedian(plot, palette, marks.current.median),
        (plot) => drawStalls(plot, palette, marks.current.stalls),
      ],
    },
  };
}

function sampleSeries(palette: Palette, index: number, strong: boolean): uPlot.Series {
  return strong
    ? series(palette, 0, { stroke: palette.pace[3] ?? palette.ink, width: 2 })
    : series(palette, index + 1, { stroke: palette.muted, width: 1, alpha: 0.8 });
}

function drawMedian(plot: uPlot, palette: Palette, median: number | null): void {
  if (median === null) return;
  const { ctx, bbox } = plot;
  const y = plot.valToPos(median, 'y', true);
  ctx.save();
  ctx.strokeStyle = palette.ink;
  ctx.globalAlpha = 0.75;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
  text(plot, palette, `median ${ms(median)}`, bbox.left + bbox.width, y - 5 * devicePixelRatio, 'right');
}

/** A flag at each stall, and the words at the longest. */
function drawStalls(plot: uPlot, palette: Palette, stalls: readonly { x: number; y: number }[]): void {
  const { ctx, bbox } = plot;
  const size = 5 * devicePixelRatio;
  ctx.fillStyle = palette.pace[4] ?? palette.ink;
  for (const stall of stalls) {
    const x = plot.valToPos(stall.x, 'x', true);
    const y = plot.valToPos(stall.y, 'y', true);
    ctx.beginPath();
    ctx.moveTo(x - size, y - 1.4 * size);
    ctx.lineTo(x + size, y - 1.4 * size);
    ctx.lineTo(x, y + size * 0.3);
    ctx.fill();
  }
  const longest = stalls.toSorted((a, b) => b.y - a.y).slice(0, LABELLED_STALLS);
  const taken: { x: number; y: number }[] = [];
  for (const stall of longest) {
    const x = plot.valToPos(stall.x, 'x', true);
    const y = plot.valToPos(stall.y, 'y', true);
    const near = taken.some(
      (other) => Math.abs(other.x - x) < 90 * devicePixelRatio && Math.abs(other.y - y) < 14 * devicePixelRatio,
    );
    if (near) continue;
    taken.push({ x, y });
    const left = x > bbox.left + bbox.width / 2;
    text(
      plot,
      palette,
      `stall ${ms(stall.y)}`,
      x + (left ? -2 : 2) * size,
      y - 2 * devicePixelRatio,
      left ? 'right' : 'left',
    );
  }
}

function text(plot: uPlot, palette: Palette, words: string, x: number, y: number, align: 'left' | 'right'): void {
  const { ctx } = plot;
  ctx.save();
  ctx.font = `${11 * devicePixelRatio}px ${palette.font}`;
  ctx.textAlign = align;
  ctx.textBaseline = 'bottom';
  // A rim in the page's colour keeps the words readable over a line.
  ctx.strokeStyle = palette.page;
  ctx.lineWidth = 3 * devicePixelRatio;
  ctx.strokeText(words, x, y);
  ctx.fillStyle = palette.ink;
  ctx.fillText(words, x, y);
  ctx.restore();
}
