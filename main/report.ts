import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { version } from '../package.json';
import { canonicalJson } from '../shared/canonical-json.ts';
import type { TraceRecord } from '../shared/record.ts';
import type { ReportTheme } from '../shared/report/palette.ts';
import type { RecordSummary } from '../shared/summary.ts';
import { FONT_FOLDER } from './app-paths.ts';
import { reportHtml } from './report-html.ts';
import { svgToPng } from './report-image.ts';

export const REPORT_FORMATS = ['png', 'svg', 'html'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

export interface ReportRequest {
  /** A record that was not refused, and its summary. */
  readonly record: TraceRecord;
  readonly summary: RecordSummary;
  readonly theme: ReportTheme;
}

/** A picture is drawn with this many pixels for each of the page, so that it is sharp on a screen of twice the density. */
export const DEFAULT_SCALE = 2;

/**
 * The report as the content of a file. The same record gives the same bytes, from the command line and from the window.
 * Throws a TokenscopeError for a picture that is too large.
 */
export async function reportFile(
  request: ReportRequest,
  format: ReportFormat,
  scale = DEFAULT_SCALE,
): Promise<string | Uint8Array> {
  switch (format) {
    case 'png':
      return svgToPng(await reportSvg(request), scale);
    case 'svg':
      return `<?xml version="1.0" encoding="UTF-8"?>\n${await reportSvg(request, await fontStyle())}\n`;
    case 'html': {
      const style = await fontStyle();
      return reportHtml(await reportSvg(request, style), style, request);
    }
  }
}

/** The report as SVG; with a style sheet for its fonts where it is opened without them. */
export async function reportSvg({ record, summary, theme }: ReportRequest, fonts?: string): Promise<string> {
  // Only loaded when a report is wanted: other commands start without React.
  const { renderReport } = await import('../shared/report/render.tsx');
  return renderReport({
    record,
    summary,
    theme,
    provenance: { id: recordId(record), version },
    ...(fonts === undefined ? {} : { fontStyle: fonts }),
  });
}

/** SHA-256 of the record, whatever the order of its fields and the spaces in its file; 64 hexadecimal digits. */
export function recordId(record: TraceRecord): string {
  return createHash('sha256').update(canonicalJson(record)).digest('hex');
}

/** The Latin part of the report's fonts inside the file. Other scripts fall back to those of the reader's system. */
async function fontStyle(): Promise<string> {
  const faces = [400, 600].map(async (weight) => {
    const font = await readFile(join(FONT_FOLDER, `inter-latin-${weight}.woff2`));
    const source = `url(data:font/woff2;base64,${font.toString('base64')}) format(woff2)`;
    return `@font-face{font-family:Inter;font-weight:${weight};src:${source}}`;
  });
  return (await Promise.all(faces)).join('');
}
