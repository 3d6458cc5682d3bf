import { SCALE_RANGE } from '../../shared/export-formats.ts';

/** As the command line's own: sharp on a screen of twice the density. */
export const REPORT_SCALE = 2;

export const THEMES = [
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;

export const SCALES = ['1', '2', '3', '4'] as const;

/** What was typed as a scale, or what is wrong with it. */
export function parseScale(text: string): { ok: true; scale: number } | { ok: false; problem: string } {
  const scale = Number(text.replace(',', '.'));
  if (text.trim() === '' || !(scale >= SCALE_RANGE.min && scale <= SCALE_RANGE.max)) {
    return { ok: false, problem: `a number from ${SCALE_RANGE.min} to ${SCALE_RANGE.max}` };
  }
  return { ok: true, scale };
}
