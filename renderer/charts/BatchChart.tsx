import { useMemo } from 'react';
import uPlot from 'uplot';
import type { Batch } from '../../shared/record.ts';
import { median } from '../../shared/statistics.ts';
import { ms, rateValue, tokensPerSecond } from '../../shared/units.ts';
import type { Palette } from '../timeline/palette.ts';
import { axis, axisNumbers, PLAIN } from './axes.ts';
import { Plot } from './Plot.tsx';

/** Throughput as bars, and what a row had to wait for it as a line with diamonds. */
export function BatchChart({ batches, palette }: { batches: readonly Batch[]; palette: Palette }) {
  const perRow =
    batches.length > 0 && batches.every(({ row_elapsed_ms: rows }) => rows !== undefined && rows.length > 0);
  const data = useMemo(
    (): uPlot.AlignedData => [
      batches.map((_, index) => index),
      batches.map((batch) => batch.output_tokens_per_s),
      batches.map((batch) => (perRow ? median(batch.row_elapsed_ms ?? []) : batch.elapsed_ms)),
    ],
    [batches, perRow],
  );
  const options = useMemo(() => optionsFor(batches, palette), [batches, palette]);
  const words = batches
    .map(
      (batch) =>
        `batch of ${batch.batch_size}: ${tokensPerSecond(batch.output_tokens_per_s)} in ${ms(batch.elapsed_ms)}`,
    )
    .join('; ');
  return (
    <Plot title="Batches, their own loop" words={words} options={options} data={data}>
      <ul className="legend">
        <li>
          <span className="swatch batch-swatch" aria-hidden="true" />
          tokens/s (left)
        </li>
        <li>
          <span className="diamond" aria-hidden="true" />
          {perRow ? 'row, median ms (right)' : 'batch, ms (right)'}
        </li>
      </ul>
    </Plot>
  );
}

function optionsFor(batches: readonly Batch[], palette: Palette): Omit<uPlot.Options, 'width' | 'height'> {
  const bars = uPlot.paths.bars?.({ size: [0.62, 60] });
  return {
    ...PLAIN,
    padding: [18, 4, 0, 0],
    scales: {
      x: { time: false, range: [-0.6, Math.max(0, batches.length - 1) + 0.6] },
      y: { range: (_, __, max) => [0, (max ?? 1) * 1.15] },
      ms: { range: (_, __, max) => [0, (max ?? 1) * 1.15] },
    },
    axes: [
      axis(palette, {
        grid: { show: false },
        size: 26,
        splits: () => batches.map((_, index) => index),
        values: (_, splits) => splits.map((index) => `${batches[index]?.batch_size ?? ''}`),
      }),
      axis(palette, { values: axisNumbers, size: 40, space: 34 }),
      // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- uPlot's enum of sides exists in its types alone: 1 is right
      axis(palette, { values: axisNumbers, side: 1, scale: 'ms', size: 50, space: 34, grid: { show: false } }),
    ],
    series: [
      {},
      {
        fill: palette.series[2] ?? palette.ink,
        stroke: palette.series[2] ?? palette.ink,
        ...(bars === undefined ? {} : { paths: bars }),
        points: { show: false },
      },
      { stroke: palette.series[3] ?? palette.ink, scale: 'ms', width: 1.5, dash: [5, 3], points: { show: false } },
    ],
    hooks: { draw: [(plot) => drawFigures(plot, palette, batches)] },
  };
}

function drawFigures(plot: uPlot, palette: Palette, batches: readonly Batch[]): void {
  const { ctx, data } = plot;
  const size = 5 * devicePixelRatio;
  ctx.save();
  ctx.font = `${11 * devicePixelRatio}px ${palette.font}`;
  ctx.textAlign = 'center';
  ctx.textBaseline = 'bottom';
  for (const index of batches.keys()) {
    const x = plot.valToPos(index, 'x', true);
    const rate = data[1]?.[index];
    const time = data[2]?.[index];
    if (rate !== null && rate !== undefined) {
      ctx.fillStyle = palette.ink;
      ctx.fillText(rateValue(rate), x, plot.valToPos(rate, 'y', true) - 3 * devicePixelRatio);
    }
    if (time === null || time === undefined) continue;
    const y = plot.valToPos(time, 'ms', true);
    ctx.fillStyle = palette.series[3] ?? palette.ink;
    ctx.strokeStyle = palette.page;
    ctx.lineWidth = devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(x, y - size);
    ctx.lineTo(x + size, y);
    ctx.lineTo(x, y + size);
    ctx.lineTo(x - size, y);
    ctx.closePath();
    ctx.fill();
    ctx.stroke();
  }
  ctx.restore();
}
