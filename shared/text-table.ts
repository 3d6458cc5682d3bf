import { printable } from './problem.ts';

/** A table as data: what is laid out as text, Markdown or CSV. Cells are ready to be read, units stand in the headers. */
export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
}

export interface Column {
  readonly header: string;
  readonly align: 'left' | 'right';
}

/** For a terminal: columns aligned, two spaces apart; the first column gives way where the width does not suffice. */
export function renderText(table: Table, width: number): string {
  const rows = [table.columns.map(({ header }) => header), ...table.rows.map((row) => row.map(printable))];
  const widths = table.columns.map((_, column) =>
    rows.reduce((widest, row) => Math.max(widest, cells(row[column] ?? '')), 0),
  );
  const total = widths.reduce((sum, each) => sum + each, 0) + 2 * (widths.length - 1);
  const first = widths[0] ?? 0;
  widths[0] = Math.max(Math.min(first, MIN_FIRST_COLUMN), first - Math.max(0, total - width));
  const lines = rows.map((row) =>
    table.columns
      .map(({ align }, column) => fit(row[column] ?? '', widths[column] ?? 0, align))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

/** A name cut shorter than this would not be told from others. */
const MIN_FIRST_COLUMN = 8;

function fit(text: string, width: number, align: 'left' | 'right'): string {
  let shown = text;
  if (cells(shown) > width) {
    const points = Array.from(shown);
    while (points.length > 0 && cells(points.join('')) > width - 1) points.pop();
    shown = `${points.join('')}…`;
  }
  const padding = ' '.repeat(Math.max(0, width - cells(shown)));
  return align === 'left' ? shown + padding : padding + shown;
}

/** GitHub's Markdown. Characters that would end a cell or start a markup are escaped. */
export function renderMarkdown(table: Table): string {
  const rule = table.columns.map(({ align }) => (align === 'left' ? ':--' : '--:'));
  const rows = table.rows.map((row) => markdownLine(row.map(escapeMarkdown)));
  return `${[markdownLine(table.columns.map(({ header }) => header)), markdownLine(rule), ...rows].join('\n')}\n`;
}

function markdownLine(row: readonly string[]): string {
  return `| ${row.join(' | ')} |`;
}

export function escapeMarkdown(text: string): string {
  return printable(text).replaceAll(/[\\|<>`*[\]]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, String.raw`\$&`);
}

/** RFC 4180, with line breaks of one character. A cell that a spreadsheet would run as a formula is made text. */
export function renderCsv(table: Table): string {
  return `${[csvLine(table.columns.map(({ header }) => header)), ...table.rows.map(csvLine)].join('\n')}\n`;
}

function csvLine(row: readonly string[]): string {
  return row.map(csvCell).join(',');
}

function csvCell(text: string): string {
  const isNumber = text !== '' && Number.isFinite(Number(text));
  const inert = !isNumber && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

const SPACE_BUT_BEFORE_A_UNIT = / (?!(?:ms|s|[kMGTP]?B)(?![A-Za-z]))/;

/** Breaks a sentence at spaces into lines of at most `width` cells; a longer word keeps its own line, as a figure its unit. */
export function wrapText(text: string, width: number, indent = ''): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(SPACE_BUT_BEFORE_A_UNIT)) {
    if (line !== '' && cells(indent) + cells(line) + 1 + cells(word) > width) {
      lines.push(indent + line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return `${[...lines, indent + line].join('\n')}\n`;
}

/** How many cells of a terminal the text takes: East Asian wide characters and emoji take two, combining marks none. */
export function cells(text: string): number {
  let width = 0;
  for (const point of text) {
    if (/\p{M}|\u200D/u.test(point)) continue;
    width +=
      /\p{Emoji_Presentation}|[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6]/u.test(
        point,
      )
        ? 2
        : 1;
  }
  return width;
}
