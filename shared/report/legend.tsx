import { medianSample } from '../median-sample.ts';
import type { Sample, TraceRecord } from '../record.ts';
import { STALL_FACTOR, stallIndices } from '../run-summary.ts';
import { type Block, px } from './layout.ts';
import { Label } from './marks.tsx';
import type { ReportPalette } from './palette.ts';
import { textWidth } from './text-width.ts';

/** What the colours of the timeline mean: those that it has. */
export function legend(record: TraceRecord, palette: ReportPalette): Block {
  const drawn = record.runs.flatMap((run) => run.samples[medianSample(run)] ?? []);
  const has = (test: (sample: Sample) => boolean): boolean => drawn.some(test);
  const chunks = has(({ prefill_ms: parts }) => (parts?.length ?? 0) > 1);
  const entries = [
    ...(has(({ tokenization_ms: time }) => time !== undefined)
      ? [['tokenization', palette.tokenization] as const]
      : []),
    ['wait for the first token: prefill', palette.wait] as const,
    ...(has(({ itl_ms: intervals }) => intervals.length > 0)
      ? [['interval before a token, stronger when slower', palette.pace[0]] as const]
      : []),
    ...(has(({ itl_ms: intervals }) => stallIndices(intervals).length > 0)
      ? [[`stall: over ${STALL_FACTOR} times the sample’s median`, palette.stall] as const]
      : []),
  ];
  return {
    height: 22,
    draw: (x, y) => {
      let at = x;
      return (
        <g>
          {entries.map(([text, color]) => {
            const left = at;
            at += textWidth(text, 12) + 40;
            const box = { x: px(left), y: y + 2, width: 14, height: 12 };
            return (
              <g key={text}>
                <rect {...box} fill={color} />
                {color === palette.stall ? <rect {...box} fill="url(#stall-hatch)" /> : null}
                <Label x={left + 20} y={y + 12.5} text={text} size={12} fill={palette.muted} />
              </g>
            );
          })}
          {chunks ? (
            <g>
              <rect x={px(at)} y={y + 2} width={14} height={12} fill={palette.wait} />
              <rect x={px(at + 6)} y={y + 2} width={1.5} height={12} fill={palette.chunk} />
              <Label x={at + 20} y={y + 12.5} text="end of a chunk" size={12} fill={palette.muted} />
            </g>
          ) : null}
        </g>
      );
    },
  };
}
