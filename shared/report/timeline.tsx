import type { ReactNode } from 'react';
import { medianSample } from '../median-sample.ts';
import { PACE } from '../pace.ts';
import type { Run, Sample, TraceRecord } from '../record.ts';
import type { RecordSummary, RunSummary } from '../summary.ts';
import { counted, ms } from '../units.ts';
import { timeTicks } from './axis.ts';
import { type LaneShapes, laneShapes } from './lane-shapes.ts';
import { type Block, CONTENT_WIDTH, MOST_RUNS, px } from './layout.ts';
import { Label } from './marks.tsx';
import type { ReportPalette } from './palette.ts';
import { drawable, textWidth } from './text-width.ts';

const NAMES = 258;
const LANE = 48;
const BAR = 20;
const AXIS = 26;
const CAPTION = 12;

interface Lane {
  readonly run: Run;
  readonly summary: RunSummary;
  readonly sample: Sample;
  readonly index: number;
  readonly caption: string;
}

/** The median sample of each run, all on one axis that starts with the request. */
export function timeline(record: TraceRecord, summary: RecordSummary, palette: ReportPalette): Block {
  const lanes = record.runs.slice(0, MOST_RUNS).flatMap((run, at): Lane[] => {
    const index = medianSample(run);
    const sample = run.samples[index];
    const figures = summary.runs[at];
    return sample === undefined || figures === undefined
      ? []
      : [{ run, summary: figures, sample, index, caption: drawable(captionOf(sample)) }];
  });
  const room = CONTENT_WIDTH - NAMES;
  const end = lanes.reduce((latest, { sample }) => Math.max(latest, sample.e2e_ms), 0);
  // As wide as it can be with each lane's caption beside its end.
  const scale = lanes.reduce(
    (least, { sample, caption }) =>
      sample.e2e_ms > 0 ? Math.min(least, (room - 12 - textWidth(caption, CAPTION)) / sample.e2e_ms) : least,
    end > 0 ? room / end : 0,
  );
  const ticks = timeTicks(scale > 0 ? room / scale : 0, 8).filter(({ value }) => value * scale < room - 20);
  return {
    height: AXIS + lanes.length * LANE,
    draw: (x, y) => {
      const start = x + NAMES;
      return (
        <g>
          {ticks.map(({ value, label }) => (
            <g key={label}>
              <rect
                x={px(start + value * scale)}
                y={y + AXIS - 6}
                width={1}
                height={lanes.length * LANE + 2}
                fill={palette.line}
              />
              <Label
                x={start + value * scale}
                y={y + 12}
                text={label}
                size={11}
                fill={palette.muted}
                anchor={value === 0 ? 'start' : 'middle'}
              />
            </g>
          ))}
          {lanes.map((lane, index) => (
            <LaneMark key={index} lane={lane} x={x} y={y + AXIS + index * LANE} scale={scale} palette={palette} />
          ))}
        </g>
      );
    },
  };
}

function captionOf(sample: Sample): string {
  const ends = { cancelled: ', stopped by request', failed: ', failed', length: '', eos: ', end of text' };
  return ms(sample.e2e_ms) + (sample.stop_reason === undefined ? '' : ends[sample.stop_reason]);
}

interface LaneProps {
  readonly lane: Lane;
  readonly x: number;
  readonly y: number;
  readonly scale: number;
  readonly palette: ReportPalette;
}

function LaneMark({ lane, x, y, scale, palette }: LaneProps): ReactNode {
  const { run, summary, sample, index, caption } = lane;
  const shapes = laneShapes(sample, scale);
  const start = x + NAMES;
  const top = y + 12;
  const which = summary.n === 1 ? 'its only sample' : `sample ${index + 1} of ${summary.n}`;
  const pace =
    summary.tpot_ms === null ? counted(sample.generated_tokens, 'token') : `${ms(summary.tpot_ms.median)}/token`;
  return (
    <g>
      <Label x={x} y={y + 18} text={run.name} size={14} weight={600} fill={palette.ink} width={NAMES - 16} />
      <Label
        x={x}
        y={y + 34}
        text={`${which} · wait ${ms(summary.ttft_ms.median)} · ${pace}`}
        size={10.5}
        fill={palette.muted}
        width={NAMES - 16}
      />
      <Bars shapes={shapes} x={start} y={top} palette={palette} />
      <Label x={start + shapes.end + 8} y={top + 14.5} text={caption} size={CAPTION} fill={palette.muted} />
    </g>
  );
}

function Bars({
  shapes,
  x,
  y,
  palette,
}: {
  shapes: LaneShapes;
  x: number;
  y: number;
  palette: ReportPalette;
}): ReactNode {
  const { tokenization, wait, chunkMarks, intervals, merged } = shapes;
  const space = merged ? 0 : 0.8;
  return (
    <g>
      {tokenization === null ? null : (
        <rect x={px(x)} y={y} width={px(Math.max(0.6, tokenization.to))} height={BAR} fill={palette.tokenization} />
      )}
      <rect
        x={px(x + wait.from)}
        y={y}
        width={px(Math.max(0.5, wait.to - wait.from))}
        height={BAR}
        fill={palette.wait}
      />
      {chunkMarks.map((at, index) => (
        <rect key={index} x={px(x + at - 0.5)} y={y} width={1} height={BAR} fill={palette.chunk} />
      ))}
      {intervals.map(({ from, to, pace }, index) => {
        const box = {
          x: px(x + from + space),
          y: merged ? y : y + 1,
          width: px(Math.max(0.4, to - from - space)),
          height: merged ? BAR : BAR - 2,
        };
        if (pace !== PACE.stall)
          return <rect key={index} {...box} fill={palette.pace[pace - PACE.usual] ?? palette.pace[0]} />;
        const middle = x + (from + to) / 2;
        return (
          <g key={index}>
            <rect {...box} fill={palette.stall} />
            <rect {...box} fill="url(#stall-hatch)" />
            <path d={`M${px(middle - 4)} ${y - 8}h8l-4 6z`} fill={palette.stall} />
          </g>
        );
      })}
    </g>
  );
}

/** The lines on a stall: it is told apart in print without its colour. */
export function StallHatch({ palette }: { palette: ReportPalette }): ReactNode {
  return (
    <defs>
      <pattern id="stall-hatch" width={5} height={5} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width={1.4} height={5} fill={palette.hatch} />
      </pattern>
    </defs>
  );
}
