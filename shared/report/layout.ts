import { Fragment, type ReactNode, createElement } from 'react';
import { count } from '../units.ts';

/** The page in pixels; its height follows from what the record holds. */
export const PAGE_WIDTH = 1200;
export const MARGIN = 48;
export const CONTENT_WIDTH = PAGE_WIDTH - 2 * MARGIN;

/** A part of the page that knows its height before it is drawn. */
export interface Block {
  readonly height: number;
  /** Draws with the top left corner at (x, y). */
  readonly draw: (x: number, y: number) => ReactNode;
}

/** A record can have a thousand runs: so many are drawn and told of, the table has more. */
export const MOST_RUNS = 40;

/** "the first 40 of 1,000 runs", where not all are shown. */
export function shownRuns(all: number, most = MOST_RUNS): string {
  return all > most ? `; the first ${most} of ${count(all)} runs` : '';
}

/** Coordinates with two decimals: enough at any scale, and a file of readable size. */
export function px(value: number): number {
  return Math.round(value * 100) / 100;
}

/** The blocks below each other. */
export function stacked(blocks: readonly Block[], gap: number): Block {
  const height = blocks.reduce((sum, block) => sum + block.height, 0) + gap * Math.max(0, blocks.length - 1);
  return {
    height,
    draw: (x, y) => {
      let at = y;
      return blocks.map((block, index) => {
        const drawn = createElement(Fragment, { key: index }, block.draw(x, at));
        at += block.height + gap;
        return drawn;
      });
    },
  };
}

/** The blocks beside each other, `step` apart. */
export function beside(blocks: readonly Block[], step: number): Block {
  return {
    height: blocks.reduce((most, block) => Math.max(most, block.height), 0),
    draw: (x, y) =>
      blocks.map((block, index) => createElement(Fragment, { key: index }, block.draw(x + index * step, y))),
  };
}
