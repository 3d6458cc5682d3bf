import type { TraceRecord } from '../record.ts';
import { method } from '../summary-text.ts';
import type { RecordSummary } from '../summary.ts';
import { counted } from '../units.ts';
import { type Block, CONTENT_WIDTH, stacked } from './layout.ts';
import { Label, Rule, gap, heading, paragraph } from './marks.tsx';
import type { ReportPalette } from './palette.ts';

const MOST_NOTES = 8;
const BOUNDARY =
  'One monotonic clock. A request starts before tokenization and ends with its last token; there is no queue and no transport in a local trace.';

/** What stands behind a picture once it has left the app. */
export interface Provenance {
  /** SHA-256 of the record's canonical text, in hexadecimal. */
  readonly id: string;
  /** Version of the program that drew the report. */
  readonly version: string;
}

/** May I trust it: how it was measured, what the figures do not say, and which record this is. */
export function footer(
  record: TraceRecord,
  summary: RecordSummary,
  { id, version }: Provenance,
  palette: ReportPalette,
): Block {
  const text = { size: 12, fill: palette.muted, width: CONTENT_WIDTH };
  const notes = summary.notes.slice(0, MOST_NOTES).map((note) => note.text);
  const more = summary.notes.length - notes.length;
  if (more > 0) notes.push(`And ${counted(more, 'note')} more.`);
  return stacked(
    [
      heading('How it was measured, and its limits', palette.faint),
      paragraph(`${BOUNDARY} ${method(summary)}`, { ...text, most: 6 }),
      ...(record.limits === undefined || record.limits === '' ? [] : [paragraph(record.limits, { ...text, most: 8 })]),
      ...notes.map((note) => paragraph(note, { ...text, fill: palette.ink, most: 3 })),
      gap(4),
      {
        height: 28,
        draw: (x, y) => (
          <g>
            <Rule x={x} y={y} width={CONTENT_WIDTH} color={palette.line} />
            <Label
              x={x}
              y={y + 20}
              text={`Record SHA-256 ${id}`}
              size={11}
              fill={palette.faint}
              width={CONTENT_WIDTH - 200}
            />
            <Label
              x={x + CONTENT_WIDTH}
              y={y + 20}
              text={`Drawn by Tokenscope ${version}`}
              size={11}
              fill={palette.faint}
              anchor="end"
            />
          </g>
        ),
      },
    ],
    6,
  );
}
