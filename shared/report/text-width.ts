import { printable } from '../problem.ts';
import { REGULAR, SEMI_BOLD, UNITS_PER_EM } from './inter-metrics.ts';

/** Text as the bundled fonts draw it: what they cover, how wide it is, where it has to break. Sizes in pixels. */

export type Weight = 400 | 600;

/** Stands for a character that the fonts do not have. They have this one. */
const MISSING = '□';

/** More marks on one letter would reach into the lines above and below. */
const MOST_MARKS = 2;

const WIDTHS: { readonly [weight in Weight]: ReadonlyMap<number, number> } = {
  400: unpack(REGULAR),
  600: unpack(SEMI_BOLD),
};

function unpack(ranges: string): Map<number, number> {
  const widths = new Map<number, number>();
  for (const range of ranges.split(';')) {
    const [start = '', list = ''] = range.split(':');
    let width = 0;
    list.split(',').forEach((code, index) => {
      if (code !== '') width = Number.parseInt(code, 36);
      widths.set(Number.parseInt(start, 36) + index, width);
    });
  }
  return widths;
}

/**
 * The text for one line: control characters and marks of direction replaced, a box for each character that the fonts
 * lack. Marks that belong to such a character, joiners and variation selectors are dropped with it.
 */
export function drawable(text: string): string {
  let shown = '';
  let boxed = false;
  let marks = 0;
  for (const point of printable(text)) {
    const isMark = /\p{M}/u.test(point);
    marks = isMark ? marks + 1 : 0;
    if (/\p{Default_Ignorable_Code_Point}/u.test(point) || (isMark && (boxed || marks > MOST_MARKS))) continue;
    boxed = !WIDTHS[400].has(point.codePointAt(0) ?? 0);
    shown += boxed ? MISSING : point;
  }
  return shown;
}

/**
 * Kerning is not in the table. It mostly moves letters together, but Inter draws a row of W 2% wider than its letters:
 * so much room is kept where text is cut or broken.
 */
const KERNING = 1.025;

/** Of text that is drawable, without kerning. */
export function textWidth(text: string, size: number, weight: Weight = 400): number {
  let units = 0;
  for (const point of text) units += WIDTHS[weight].get(point.codePointAt(0) ?? 0) ?? UNITS_PER_EM;
  return (units * size) / UNITS_PER_EM;
}

/** Cut at the end, with an ellipsis, where it is wider than `width`. */
export function fitText(text: string, width: number, size: number, weight: Weight = 400): string {
  if (textWidth(text, size, weight) * KERNING <= width) return text;
  const room = width / KERNING - textWidth('…', size, weight);
  let shown = '';
  let used = 0;
  for (const point of text) {
    used += textWidth(point, size, weight);
    if (used > room) break;
    shown += point;
  }
  return `${shown.trimEnd()}…`;
}

/** A figure stays with its unit. */
const BREAKS = / (?!(?:ms|s|[kMGTP]?B|tokens\/s)(?![A-Za-z]))/;

/** Lines of at most `width`; a word that is longer is broken where the line ends. At most `most` lines. */
export function wrapLines(text: string, width: number, size: number, weight: Weight = 400, most = 200): string[] {
  const room = width / KERNING;
  const lines: string[] = [];
  let line = '';
  const push = (): void => {
    if (line !== '') lines.push(line);
    line = '';
  };
  for (const word of text.split(BREAKS)) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (textWidth(joined, size, weight) <= room) {
      line = joined;
      continue;
    }
    push();
    for (const point of word) {
      if (line !== '' && textWidth(line + point, size, weight) > room) push();
      line += point;
    }
    if (lines.length >= most) break;
  }
  push();
  if (lines.length <= most) return lines;
  const last = lines[most - 1] ?? '';
  return [...lines.slice(0, most - 1), fitText(`${last} …`, width, size, weight)];
}

/** All digits as wide as the widest, so that figures stand in columns: the renderer of pictures knows no font features. */
export function figureWidth(text: string, size: number, weight: Weight = 400): number {
  return Array.from(text).reduce((sum, point) => sum + cellWidth(point, size, weight), 0);
}

/** The x of each character of a figure that begins at `left`, digits in the middle of their cells. */
export function figureXs(text: string, left: number, size: number, weight: Weight = 400): number[] {
  let at = left;
  return Array.from(text, (point) => {
    const cell = cellWidth(point, size, weight);
    const x = at + (cell - textWidth(point, size, weight)) / 2;
    at += cell;
    return x;
  });
}

function cellWidth(point: string, size: number, weight: Weight): number {
  return /\d/.test(point) ? digitCell(size, weight) : textWidth(point, size, weight);
}

const WIDEST_DIGIT: { readonly [weight in Weight]: number } = { 400: widestDigit(400), 600: widestDigit(600) };

function widestDigit(weight: Weight): number {
  return Array.from('0123456789').reduce((widest, digit) => Math.max(widest, textWidth(digit, 1, weight)), 0);
}

function digitCell(size: number, weight: Weight): number {
  return WIDEST_DIGIT[weight] * size;
}
