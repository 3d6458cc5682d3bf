import { z } from 'zod';

/** What a record can be handed over as, in one table: the dialog, the two hosts and the names of files read it. */
export const EXPORT_FORMATS = [
  {
    id: 'png',
    label: 'PNG picture',
    about: 'The report as a picture, for a document or a message.',
    draws: true,
    ending: '.png',
    media: 'image/png',
  },
  {
    id: 'svg',
    label: 'SVG picture',
    about: 'The report in shapes: sharp at any size, no limit of pixels.',
    draws: true,
    ending: '.svg',
    media: 'image/svg+xml',
  },
  {
    id: 'html',
    label: 'HTML page',
    about: 'The report and the record in it, in one file that opens without a network.',
    draws: true,
    ending: '.html',
    media: 'text/html',
  },
  {
    id: 'csv',
    label: 'CSV, tokens',
    about: 'A row for each token: its text, when it came, the interval before it.',
    draws: false,
    ending: '-tokens.csv',
    media: 'text/csv',
  },
  {
    id: 'csv-samples',
    label: 'CSV, samples',
    about: 'A row for each sample: wait, pace, whole time.',
    draws: false,
    ending: '-samples.csv',
    media: 'text/csv',
  },
  {
    id: 'markdown',
    label: 'Markdown',
    about: 'The figures of each run as a table, for an issue or a note.',
    draws: false,
    ending: '.md',
    media: 'text/markdown',
  },
  {
    id: 'perfetto',
    label: 'Perfetto trace',
    about: 'Trace events for ui.perfetto.dev and chrome://tracing, a track for each sample.',
    draws: false,
    ending: '.trace.json',
    media: 'application/json',
  },
  {
    id: 'record',
    label: 'Record',
    about: 'Everything that was measured, as JSON: it can be opened here again.',
    draws: false,
    ending: '.json',
    media: 'application/json',
  },
] as const;

export type FileFormat = (typeof EXPORT_FORMATS)[number]['id'];
export type ExportFormatInfo = (typeof EXPORT_FORMATS)[number];

export function exportFormat(id: FileFormat): ExportFormatInfo {
  const found = EXPORT_FORMATS.find((format) => format.id === id);
  if (found === undefined) throw new RangeError(`no format is named ${id}`);
  return found;
}

/** As the command line takes it: pixels of a PNG for each of the page. */
export const SCALE_RANGE = { min: 0.1, max: 16 } as const;

const scale = z.number().min(SCALE_RANGE.min).max(SCALE_RANGE.max);
const theme = z.enum(['light', 'dark']);
const id = z.string().max(200);

/** `scale` counts for PNG, `theme` for what is drawn. */
export const exportRequestSchema = z.strictObject({
  id,
  format: z.enum(EXPORT_FORMATS.map((format) => format.id)),
  scale,
  theme,
});
export type ExportRequest = z.infer<typeof exportRequestSchema>;

export const pictureRequestSchema = z.strictObject({ id, scale, theme });
export type PictureRequest = z.infer<typeof pictureRequestSchema>;

/** `run.json` as a file of another format: `run.png`, `run-tokens.csv`. */
export function exportName(recordName: string, format: FileFormat): string {
  return `${recordName.replace(/\.(json|tokenscope)$/i, '')}${exportFormat(format).ending}`;
}
