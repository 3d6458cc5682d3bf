import type { ReactNode } from 'react';
import type { TraceRecord } from '../record.ts';
import { fullRunTable } from '../run-table.ts';
import type { RecordSummary } from '../summary.ts';
import { cards } from './cards.tsx';
import { type Provenance, footer } from './footer.tsx';
import { header } from './header.tsx';
import { intervalCharts } from './intervals.tsx';
import { type Block, CONTENT_WIDTH, MARGIN, PAGE_WIDTH, shownRuns, stacked } from './layout.ts';
import { legend } from './legend.tsx';
import { Rule, heading } from './marks.tsx';
import { PALETTES, type ReportPalette, type ReportTheme } from './palette.ts';
import { sentences } from './sentences.tsx';
import { tableBlock } from './table-block.tsx';
import { drawable } from './text-width.ts';
import { StallHatch, timeline } from './timeline.tsx';

export interface ReportProps {
  /** A record that was not refused, and its summary. */
  readonly record: TraceRecord;
  readonly summary: RecordSummary;
  readonly provenance: Provenance;
  readonly theme: ReportTheme;
  /** Style sheet with the fonts, for a file that is opened where they are not installed. */
  readonly fontStyle?: string;
}

const FONTS = "Inter, 'Inter Variable', system-ui, sans-serif";

/** The whole report as one picture. It depends on its props alone: no clock, no locale, no screen. */
export function Report({ record, summary, provenance, theme, fontStyle }: ReportProps): ReactNode {
  const palette = PALETTES[theme];
  const page = stacked(sections({ record, summary, provenance }, palette), 30);
  const height = Math.ceil(page.height + 2 * MARGIN);
  const title = `Tokenscope report: ${drawable(record.model.id)}`;
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width={PAGE_WIDTH}
      height={height}
      viewBox={`0 0 ${PAGE_WIDTH} ${height}`}
      fontFamily={FONTS}
      role="img"
      aria-label={title}
    >
      <title>{title}</title>
      {fontStyle === undefined ? null : <style>{fontStyle}</style>}
      <StallHatch palette={palette} />
      <rect width={PAGE_WIDTH} height={height} fill={palette.page} />
      {page.draw(MARGIN, MARGIN)}
    </svg>
  );
}

function sections(
  { record, summary, provenance }: Pick<ReportProps, 'record' | 'summary' | 'provenance'>,
  palette: ReportPalette,
): Block[] {
  const measured = record.runs.length > 0;
  const other = cards(record, summary, palette);
  return [
    header(record, palette),
    rule(palette),
    ...(measured ? [sentences(summary, palette), timelineSection(record, summary, palette)] : []),
    ...intervalSection(record, palette),
    ...(measured ? [tableSection(summary, palette)] : []),
    ...(other === null ? [] : [other]),
    footer(record, summary, provenance, palette),
  ];
}

function rule(palette: ReportPalette): Block {
  return { height: 1, draw: (x, y) => <Rule x={x} y={y} width={CONTENT_WIDTH} color={palette.line} /> };
}

function timelineSection(record: TraceRecord, summary: RecordSummary, palette: ReportPalette): Block {
  const note = `of each run the sample with the median time, from the start of its request${shownRuns(record.runs.length)}`;
  return stacked(
    [
      heading('Timeline', palette.faint, note, palette.muted, CONTENT_WIDTH),
      legend(record, palette),
      timeline(record, summary, palette),
    ],
    4,
  );
}

function intervalSection(record: TraceRecord, palette: ReportPalette): Block[] {
  const charts = intervalCharts(record, palette);
  if (charts === null) return [];
  const note =
    'strong line: the median sample; thin lines: the other samples; triangles: stalls; one scale for all runs';
  const shown = note + shownRuns(record.runs.length);
  return [
    stacked([heading('Interval before each token, ms', palette.faint, shown, palette.muted, CONTENT_WIDTH), charts], 4),
  ];
}

/** Rows beyond would make a picture that no program opens. */
const MOST_ROWS = 200;

function tableSection(summary: RecordSummary, palette: ReportPalette): Block {
  const note = `medians over samples; ITL percentiles over all intervals of a run${shownRuns(summary.runs.length, MOST_ROWS)}`;
  return stacked(
    [
      heading('Figures', palette.faint, note, palette.muted, CONTENT_WIDTH),
      tableBlock(fullRunTable(summary.runs.slice(0, MOST_ROWS)), CONTENT_WIDTH, palette),
    ],
    2,
  );
}
