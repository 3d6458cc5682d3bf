import type { ReactNode } from 'react';
import { type Block, px } from './layout.ts';
import { type Weight, drawable, figureWidth, figureXs, fitText, textWidth, wrapLines } from './text-width.ts';

/** Lines of text are this many times their size apart. */
const LEADING = 1.45;

interface LabelProps {
  readonly x: number;
  /** Of the baseline. */
  readonly y: number;
  readonly text: string;
  readonly size: number;
  readonly fill: string;
  readonly weight?: Weight;
  readonly anchor?: 'start' | 'middle' | 'end';
  /** Cut where it is wider. */
  readonly width?: number;
}

/** One line of text. What had to be cut is there in full as its title. */
export function Label({ x, y, text, size, fill, weight = 400, anchor = 'start', width }: LabelProps): ReactNode {
  const whole = drawable(text);
  const shown = width === undefined ? whole : fitText(whole, width, size, weight);
  return (
    <text
      x={px(x)}
      y={px(y)}
      fontSize={size}
      fontWeight={weight === 400 ? undefined : weight}
      fill={fill}
      textAnchor={anchor === 'start' ? undefined : anchor}
    >
      {shown === whole ? null : <title>{whole}</title>}
      {shown}
    </text>
  );
}

/** A figure whose digits stand in columns. */
export function Figure({ x, y, text, size, fill, weight = 400, anchor = 'start' }: LabelProps): ReactNode {
  const shown = drawable(text);
  const left = anchor === 'end' ? x - figureWidth(shown, size, weight) : x;
  const xs = figureXs(shown, left, size, weight).map(px);
  return (
    <text x={xs.join(' ')} y={px(y)} fontSize={size} fontWeight={weight === 400 ? undefined : weight} fill={fill}>
      {shown}
    </text>
  );
}

interface Paragraph {
  readonly size: number;
  readonly fill: string;
  readonly weight?: Weight;
  readonly width: number;
  /** Lines beyond are cut. */
  readonly most?: number;
}

export function paragraph(text: string, { size, fill, weight = 400, width, most }: Paragraph): Block {
  const lines = wrapLines(drawable(text), width, size, weight, most);
  const step = size * LEADING;
  return {
    height: lines.length * step,
    draw: (x, y) =>
      lines.map((line, index) => (
        <Label key={index} x={x} y={y + index * step + size} text={line} size={size} fill={fill} weight={weight} />
      )),
  };
}

/** The small capitals over a part of the page. */
export function heading(text: string, fill: string, note = '', noteFill = fill, width = Infinity): Block {
  const size = 11;
  const title = text.toUpperCase();
  const used = textWidth(title, size, 600) + SPACING * title.length;
  return {
    height: 24,
    draw: (x, y) => (
      <g>
        <text x={px(x)} y={px(y + size)} fontSize={size} fontWeight={600} letterSpacing={SPACING} fill={fill}>
          {title}
        </text>
        {note === '' ? null : (
          <Label x={x + used + 10} y={y + size} text={note} size={size} fill={noteFill} width={width - used - 10} />
        )}
      </g>
    ),
  };
}

const SPACING = 0.6;

export function gap(height: number): Block {
  return { height, draw: () => null };
}

export function Rule({ x, y, width, color }: { x: number; y: number; width: number; color: string }): ReactNode {
  return <rect x={px(x)} y={px(y)} width={px(width)} height={1} fill={color} />;
}
