import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { Resvg } from '@resvg/resvg-js';
import { describe, expect, test } from 'vitest';
import {
  drawable,
  figureWidth,
  figureXs,
  fitText,
  textWidth,
  wrapLines,
} from '../../../../shared/report/text-width.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const fontFiles = ['Inter_400Regular', 'Inter_600SemiBold'].map((name) => join(ROOT, `resources/fonts/${name}.ttf`));

/** How wide the text is when it is drawn. */
function drawnWidth(text: string, size: number, weight: 400 | 600): number {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="5000" height="100" font-family="Inter"><text x="0" y="50" font-size="${size}" font-weight="${weight}">${escaped}</text></svg>`;
  const box = new Resvg(svg, { font: { fontFiles, loadSystemFonts: false } }).getBBox();
  return box === undefined ? 0 : box.x + box.width;
}

test('the table of widths is that of the fonts', () => {
  execFileSync(process.execPath, [join(ROOT, 'resources/fonts/font-metrics.mjs'), '--check'], { stdio: 'pipe' });
});

describe('widths hold what is drawn', () => {
  test.each([
    'short_cached waited 36.4 ms for its first token, then took 24.1 ms for each of the next.',
    'Ünïcödé Ελληνικά Кириллица — “quotes” … × ÷ ± → □',
    'WWWWWWWWWWWWWWWWWWWW',
    'AVATAR To. Ty, LT',
    '1111111111 0000000000 1,204.5',
    '<script>alert("&")</script> a->b 10x20 != ==',
    'iiiiiillllll',
  ])('%s', (text) => {
    for (const weight of [400, 600] as const) {
      const measured = textWidth(text, 14, weight);
      const drawn = drawnWidth(text, 14, weight);
      expect(drawn).toBeLessThan(measured * 1.025 + 1);
      expect(drawn).toBeGreaterThan(measured * 0.93 - 2);
    }
  });
});

test('a box for what the fonts lack, one for each letter with its marks', () => {
  expect(drawable('plain é Ж Ω →')).toBe('plain é Ж Ω →');
  expect(drawable('日本')).toBe('□□');
  expect(drawable('हिन्दी')).toBe('□□□');
  expect(drawable('👩‍👩‍👧')).toBe('□□□');
  expect(drawable('שלום')).toBe('□□□□');
  expect(drawable('a\u0301\u0302\u0303\u0304')).toBe('a\u0301\u0302');
  expect(drawable('a\u0000b\u202Ec\nd\uD800')).toBe('a□b□c d□');
  expect(drawable('\u200Bzero\uFEFF width\u00AD')).toBe('zero width');
});

test('text is cut to fit, and never by half a character', () => {
  expect(fitText('short', 100, 12)).toBe('short');
  const cut = fitText('a name that is much too long for its column', 100, 12);
  expect(cut).toMatch(/^a name.*…$/);
  expect(textWidth(cut, 12)).toBeLessThanOrEqual(100);
  expect(fitText('anything', 2, 12)).toBe('…');
});

test('lines are broken at spaces, long words where the line ends, and figures stay with their unit', () => {
  for (const text of ['some words to wrap over several lines of text', 'W'.repeat(80), `a ${'b'.repeat(60)} c`]) {
    const lines = wrapLines(text, 120, 12);
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(textWidth(line, 12)).toBeLessThanOrEqual(120);
    expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
  }
  for (let width = 60; width < 140; width += 5) {
    expect(wrapLines('it took 36.4 ms for each', width, 12).some((line) => line.startsWith('ms'))).toBe(false);
  }
  const cut = wrapLines('word '.repeat(100), 100, 12, 400, 3);
  expect(cut).toHaveLength(3);
  expect(cut[2]).toMatch(/…$/);
  expect(wrapLines('', 100, 12)).toEqual([]);
});

test('figures have digits of one width', () => {
  expect(figureWidth('1111', 12)).toBe(figureWidth('0808', 12));
  const xs = figureXs('1.5', 10, 12);
  expect(xs).toHaveLength(3);
  expect(xs).toEqual(xs.toSorted((x, y) => x - y));
});
