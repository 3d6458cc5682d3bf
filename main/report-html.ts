import { createHash } from 'node:crypto';
import { PALETTES } from '../shared/report/palette.ts';
import type { ReportRequest } from './report.ts';

/** The id of the element that holds the record as JSON: with it a report is a record that can be opened again. */
export const RECORD_ELEMENT = 'tokenscope-record';

/**
 * One page that needs nothing else: the report, and the record it was drawn from. Its policy allows the two style sheets in
 * it, the fonts in those, and nothing from anywhere; no script runs.
 */
export function reportHtml(svg: string, fontStyle: string, { record, theme }: ReportRequest): string {
  const palette = PALETTES[theme];
  const style = `:root{color-scheme:${theme}}body{margin:0;background:${palette.page}}svg{display:block;width:100%;max-width:1200px;height:auto;margin:0 auto}`;
  const policy = `default-src 'none'; style-src ${sourceHash(style)} ${sourceHash(fontStyle)}; font-src data:; base-uri 'none'; form-action 'none'`;
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width">',
    `<title>${titleOf(svg)}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    svg,
    `<script type="application/json" id="${RECORD_ELEMENT}">${inertJson(record)}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function sourceHash(style: string): string {
  return `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
}

/** Already escaped: the report's own title. */
function titleOf(svg: string): string {
  return /<title>([^<]*)<\/title>/.exec(svg)?.[1] ?? 'Tokenscope report';
}

/** JSON in which nothing can end the element or begin a comment: `<` and `>` only ever stand in texts and names there. */
function inertJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', String.raw`\u003c`).replaceAll('>', String.raw`\u003e`);
}
