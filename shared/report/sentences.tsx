import type { RecordSummary } from '../summary.ts';
import { type Block, CONTENT_WIDTH, MOST_RUNS, stacked } from './layout.ts';
import { paragraph } from './marks.tsx';
import type { ReportPalette } from './palette.ts';

/** Where the time of each run went, in words. The first one opens the report. */
export function sentences(summary: RecordSummary, palette: ReportPalette): Block {
  return stacked(
    summary.runs.slice(0, MOST_RUNS).map(({ explanation: { headline, details } }, index) =>
      stacked(
        [
          paragraph(headline, {
            size: index === 0 ? 19 : 14,
            weight: 600,
            fill: palette.ink,
            width: CONTENT_WIDTH,
            most: 3,
          }),
          ...(details.length === 0
            ? []
            : [paragraph(details.join(' '), { size: 13, fill: palette.muted, width: CONTENT_WIDTH, most: 4 })]),
        ],
        1,
      ),
    ),
    10,
  );
}
