import { describe, expect, test } from 'vitest';
import { replyTail } from '../../../renderer/live/reply-tail.ts';
import { StripLayout } from '../../../renderer/inspector/strip-layout.ts';
import { nextSorting, sortedIndices } from '../../../renderer/table/sort.ts';
import { quotedToken, tokenMarks } from '../../../renderer/trace/token-marks.ts';

describe('token texts', () => {
  test('show what cannot be seen', () => {
    expect(tokenMarks('a\n\tb')).toBe('a⏎⇥b');
    expect(quotedToken(' and')).toBe('“·and”');
    expect(quotedToken('')).toBe('(no text yet)');
  });

  test('cannot reverse the line or move a cursor', () => {
    expect(tokenMarks('a\u202Eb\u0007c\u2029d')).toBe('a\uFFFDb\uFFFDc\uFFFDd');
  });

  test('are cut', () => {
    expect(tokenMarks('x'.repeat(500), 10)).toBe(`${'x'.repeat(10)}…`);
  });
});

describe('the end of a reply', () => {
  test('is whole while it is short and says that it is cut', () => {
    expect(replyTail(['a', ' b'], null)).toBe('a b');
    expect(
      replyTail(
        Array.from({ length: 1000 }, () => ' w'),
        null,
      ).startsWith('…'),
    ).toBe(true);
    expect(replyTail(null, 'whole')).toBe('whole');
  });
});

describe('the strip of tokens', () => {
  const source = {
    text: (token: number) => 'x'.repeat((((token * token) % 89) % 13) + 1),
    marks: () => 0,
    measure: (text: string) => text.length * 9.7,
  };
  const metrics = { width: 200, padding: 5, gap: 3, minimum: 14, mark: 12 };

  test('puts every token in exactly one row that is not too wide', () => {
    const layout = new StripLayout(source, metrics);
    layout.extend(1000);
    let expected = 0;
    for (let row = 0; row < layout.rows; row += 1) {
      const [from, to] = layout.span(row);
      expect(from).toBe(expected);
      const width = layout.widths.slice(from, to).reduce((sum, each) => sum + each, 0) + (to - from - 1) * metrics.gap;
      expect(width).toBeLessThanOrEqual(metrics.width);
      for (let token = from; token < to; token += 1) expect(layout.rowOf(token)).toBe(row);
      expected = to;
    }
    expect(expected).toBe(1000);
  });

  test('grows as if it had been laid out at once', () => {
    const grown = new StripLayout(source, metrics);
    for (let count = 0; count <= 500; count += 7) grown.extend(count);
    grown.extend(500);
    const whole = new StripLayout(source, metrics);
    whole.extend(500);
    expect(grown).toEqual(whole);
  });

  test('a token wider than the strip has a row for itself', () => {
    const layout = new StripLayout({ ...source, text: () => 'x'.repeat(39) }, metrics);
    layout.extend(3);
    expect(layout.rows).toBe(3);
    expect(layout.widths).toEqual([200, 200, 200]);
  });
});

describe('sorting', () => {
  test('keeps the order of equals and puts what is not known last, whichever way', () => {
    const rows = [3, null, 1, 3];
    expect(sortedIndices(rows, (value) => value, false)).toEqual([2, 0, 3, 1]);
    expect(sortedIndices(rows, (value) => value, true)).toEqual([0, 3, 2, 1]);
  });

  test('a header goes up, down, and back', () => {
    const up = nextSorting(null, 'n');
    const down = nextSorting(up, 'n');
    expect([up, down, nextSorting(down, 'n'), nextSorting(down, 'p')]).toEqual([
      { column: 'n', descending: false },
      { column: 'n', descending: true },
      null,
      { column: 'p', descending: false },
    ]);
  });
});
