import type { ReactNode } from 'react';
import { medianSample } from '../median-sample.ts';
import type { Run, TraceRecord } from '../record.ts';
import { count, ms } from '../units.ts';
import { roundTicks } from './axis.ts';
import { intervalLine } from './interval-shapes.ts';
import { type Block, CONTENT_WIDTH, MOST_RUNS, beside, px, stacked } from './layout.ts';
import { Label } from './marks.tsx';
import type { ReportPalette } from './palette.ts';
import { textWidth } from './text-width.ts';

const COLUMNS = 3;
const GAP = 28;
const WIDTH = (CONTENT_WIDTH - GAP * (COLUMNS - 1)) / COLUMNS;
const PLOT = 92;
const LEFT = 40;
const TITLE = 26;
const FOOT = 22;
const PEAK = 11;
/** More lines than these would cover each other: the first ones stand for the rest. */
const MOST_LINES = 12;

/** A small chart for each run that has an interval, or null for none; all with one scale: what cannot be told by colour in print is told by place. */
export function intervalCharts(record: TraceRecord, palette: ReportPalette): Block | null {
  const runs = record.runs
    .slice(0, MOST_RUNS)
    .filter(({ samples }) => samples.some((sample) => sample.itl_ms.length > 0));
  if (runs.length === 0) return null;
  const top = runs.reduce((most, { samples }) => Math.max(most, ...samples.map(longestInterval)), 0);
  const panels = runs.map((run) => panel(run, top, palette));
  const rows: Block[] = [];
  for (let at = 0; at < panels.length; at += COLUMNS) rows.push(beside(panels.slice(at, at + COLUMNS), WIDTH + GAP));
  return stacked(rows, 14);
}

function longestInterval({ itl_ms: intervals }: Run['samples'][number]): number {
  return intervals.reduce((most, interval) => Math.max(most, interval), 0);
}

function panel(run: Run, top: number, palette: ReportPalette): Block {
  const longest = run.samples.reduce((most, { itl_ms: intervals }) => Math.max(most, intervals.length), 0);
  const plot = { width: WIDTH - LEFT - 8, height: PLOT, longest, top: top * 1.25 };
  const shown = medianSample(run);
  const others = run.samples
    .map((_, index) => index)
    .filter((index) => index !== shown)
    .slice(0, MOST_LINES - 1);
  const lines = [...others, shown].map((index) => ({
    main: index === shown,
    ...intervalLine(run.samples[index]?.itl_ms ?? [], plot),
  }));
  return {
    height: TITLE + PLOT + FOOT,
    draw: (x, y) => {
      const left = x + LEFT;
      const bottom = y + TITLE + PLOT;
      return (
        <g>
          <Label x={x} y={y + 12} text={run.name} size={12} weight={600} fill={palette.ink} width={WIDTH - 8} />
          <g>
            {roundTicks(plot.top, 3).map((value) => (
              <g key={value}>
                <rect
                  x={px(left)}
                  y={px(bottom - (value / plot.top) * PLOT)}
                  width={px(plot.width)}
                  height={1}
                  fill={palette.line}
                />
                <Label
                  x={left - 8}
                  y={bottom - (value / plot.top) * PLOT + 4}
                  text={tickText(value)}
                  size={10.5}
                  fill={palette.muted}
                  anchor="end"
                />
              </g>
            ))}
            {lines.map((line, index) => (
              <Line key={index} line={line} x={left} y={bottom} palette={palette} />
            ))}
            <Peak run={run} x={left} y={bottom} plot={plot} palette={palette} />
            <Label x={left} y={bottom + 16} text="token 2" size={10.5} fill={palette.muted} />
            {longest > 1 ? (
              <Label
                x={left + plot.width}
                y={bottom + 16}
                text={count(longest + 1)}
                size={10.5}
                fill={palette.muted}
                anchor="end"
              />
            ) : null}
          </g>
        </g>
      );
    },
  };
}

function tickText(value: number): string {
  return Number.isInteger(value) ? count(value) : String(Number(value.toPrecision(2)));
}

interface LineProps {
  readonly line: ReturnType<typeof intervalLine> & { readonly main: boolean };
  readonly x: number;
  readonly y: number;
  readonly palette: ReportPalette;
}

function Line({ line, x, y, palette }: LineProps): ReactNode {
  const { points, stalls, main } = line;
  const color = main ? palette.decodeLine : palette.faint;
  const [only] = points;
  return (
    <g>
      {points.length === 1 && only !== undefined ? (
        <circle cx={px(x + only[0])} cy={px(y - only[1])} r={main ? 2.5 : 1.8} fill={color} />
      ) : (
        <path
          d={points.map(([px1, py], index) => `${index === 0 ? 'M' : 'L'}${px(x + px1)} ${px(y - py)}`).join('')}
          fill="none"
          stroke={color}
          strokeWidth={main ? 2 : 0.9}
          strokeLinejoin="round"
          strokeOpacity={main ? undefined : 0.75}
        />
      )}
      {stalls.map(([at, height]) => (
        <path key={at} d={`M${px(x + at - 3.5)} ${px(y - height - 7)}h7l-3.5 5.5z`} fill={palette.stall} />
      ))}
    </g>
  );
}

/** The longest stall of the run, with its figure. */
function Peak(props: {
  run: Run;
  x: number;
  y: number;
  plot: { width: number; height: number; longest: number; top: number };
  palette: ReportPalette;
}): ReactNode {
  const { run, x, y, plot, palette } = props;
  let highest: { at: number; height: number; interval: number } | null = null;
  for (const { itl_ms: intervals } of run.samples) {
    const line = intervalLine(intervals, plot);
    for (const [at, height] of line.stalls) {
      if (highest === null || height > highest.height)
        highest = { at, height, interval: (height / plot.height) * plot.top };
    }
  }
  if (highest === null) return null;
  const text = ms(highest.interval);
  const half = textWidth(text, PEAK) / 2;
  return (
    <Label
      x={x + Math.min(Math.max(highest.at, half), plot.width - half)}
      y={y - highest.height - 11}
      text={text}
      size={PEAK}
      fill={palette.ink}
      anchor="middle"
    />
  );
}
