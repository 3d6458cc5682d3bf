import { Window } from 'happy-dom';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { parseRecordValue } from '../../../../shared/parse-record.ts';
import type { TraceRecord } from '../../../../shared/record.ts';
import { CONTENT_WIDTH, MARGIN, PAGE_WIDTH } from '../../../../shared/report/layout.ts';
import type { ReportTheme } from '../../../../shared/report/palette.ts';
import { renderReport } from '../../../../shared/report/render.tsx';
import { Report, type ReportProps } from '../../../../shared/report/report.tsx';
import { svgText } from '../../../../shared/report/svg-text.ts';
import { textWidth } from '../../../../shared/report/text-width.ts';
import { summarizeRecord } from '../../../../shared/summarize.ts';
import { EXTREME, HOSTILE, LONG, SHORT, madeUpRecord, madeUpSample } from '../../../support/report-records.ts';
import { liveRun } from '../../../support/records.ts';
import { svgRects, svgSize, svgTexts } from '../../../support/svg.ts';

function propsOf(record: TraceRecord, theme: ReportTheme = 'light'): ReportProps {
  const parsed = parseRecordValue(record);
  const result = summarizeRecord(record);
  if (!parsed.ok || !result.ok) throw new Error('not a record');
  return { record, summary: result.summary, provenance: { id: 'ab'.repeat(32), version: '0.1.0' }, theme };
}

const draw = (record: TraceRecord, theme: ReportTheme = 'light') => renderReport(propsOf(record, theme));
const texts = (svg: string) => svgTexts(svg).map(({ text }) => text);

const RECORDS: [string, TraceRecord][] = [
  ['live-run', liveRun()],
  ['short', SHORT],
  ['long', LONG],
  ['extreme', EXTREME],
];

describe.each(RECORDS)('%s', (name, record) => {
  test('is drawn as before', async () => {
    await expect(draw(record)).toMatchFileSnapshot(`__snapshots__/${name}.svg`);
  });

  test('in the dark theme only the colours are others', () => {
    const shapes = (svg: string) => svg.replaceAll(/"#[0-9a-fA-F]{6}"/g, '""');
    expect(shapes(draw(record, 'dark'))).toBe(shapes(draw(record)));
    expect(draw(record, 'dark')).not.toBe(draw(record));
  });

  test('says nothing that is not there', () => {
    const own = new Set(record.runs.map((run) => run.name));
    for (const text of texts(draw(record))) {
      if (!own.has(text) && !text.startsWith('undefined waited'))
        expect(text).not.toMatch(/undefined|NaN|null|Infinity|\[object/);
    }
  });

  test('no text and no shape leaves the page', () => {
    const svg = draw(record);
    const { width, height } = svgSize(svg);
    expect(width).toBe(PAGE_WIDTH);
    for (const { text, xs, y, size, weight, anchor, spacing } of svgTexts(svg)) {
      const used = textWidth(text, size, weight) + spacing * text.length;
      const [first = 0] = xs;
      const left =
        xs.length > 1 ? first : anchor === 'end' ? first - used : anchor === 'middle' ? first - used / 2 : first;
      const right = xs.length > 1 ? xs.at(-1)! + textWidth(text.at(-1)!, size, weight) : left + used;
      expect(left, text).toBeGreaterThanOrEqual(MARGIN - 1);
      expect(right, text).toBeLessThanOrEqual(MARGIN + CONTENT_WIDTH + 1);
      expect(y - size, text).toBeGreaterThan(0);
      expect(y, text).toBeLessThan(height - MARGIN / 2);
    }
    for (const box of svgRects(svg)) {
      expect(box.x).toBeGreaterThanOrEqual(MARGIN);
      expect(box.x + box.width).toBeLessThanOrEqual(MARGIN + CONTENT_WIDTH + 0.1);
      expect(box.y + box.height).toBeLessThan(height);
      expect(box.width).toBeGreaterThan(0);
    }
  });

  test('texts of one line do not run into each other', () => {
    const lines = new Map<number, { left: number; right: number; text: string }[]>();
    for (const { text, xs, y, size, weight, anchor, spacing } of svgTexts(draw(record))) {
      if (text === '' || anchor === 'middle') continue;
      const used = textWidth(text, size, weight) + spacing * text.length;
      const [first = 0] = xs;
      const left = xs.length > 1 || anchor === 'start' ? first : first - used;
      const right = xs.length > 1 ? xs.at(-1)! + textWidth(text.at(-1)!, size, weight) : left + used;
      lines.set(y, [...(lines.get(y) ?? []), { left, right, text }]);
    }
    for (const line of lines.values()) {
      line.sort((one, other) => one.left - other.left);
      for (let index = 1; index < line.length; index += 1) {
        // The two halves of the name in the corner stand side by side on purpose.
        if (line[index]!.text === 'scope') continue;
        expect(line[index]!.left, `${line[index - 1]!.text} | ${line[index]!.text}`).toBeGreaterThan(
          line[index - 1]!.right,
        );
      }
    }
  });

  test('is well-formed XML, and the very text that React writes', () => {
    const svg = draw(record);
    expect(svg).toBe(renderToStaticMarkup((<Report {...propsOf(record)} />) as ReactNode));
    const window = new Window();
    const parsed = new window.DOMParser().parseFromString(svg, 'image/svg+xml');
    expect(parsed.querySelectorAll('parsererror')).toHaveLength(0);
    expect(parsed.documentElement.tagName).toBe('svg');
    expect(parsed.querySelectorAll('script, img, image, foreignObject, a')).toHaveLength(0);
  });
});

test('the reference record tells what it must', () => {
  const shown = texts(draw(liveRun()));
  for (const text of [
    'Qwen/Qwen2.5-0.5B-Instruct',
    'short_cached waited 36.4 ms for its first token, then took 24.1 ms for each of the next.',
    'float32, 1.98 GB',
    'mps',
    '101 ms, stopped by request',
    '226 ms',
    '4 rows',
    '77.2 in 1,244 ms',
    'whole prompt',
    '90.3 ms',
    'first request',
    '138 ms',
    `Record SHA-256 ${'ab'.repeat(32)}`,
    'Drawn by Tokenscope 0.1.0',
  ]) {
    expect(shown).toContain(text);
  }
  expect(shown.some((text) => text.includes('Three repeated development prompts'))).toBe(true);
});

test('what was not measured is not drawn', () => {
  const plain = draw(SHORT);
  for (const word of ['Machine', 'Batch sweep', 'Prefix reuse', 'Cold start', 'tokenization', 'Interval before']) {
    expect(texts(plain).some((text) => text.toLowerCase().startsWith(word.toLowerCase()))).toBe(false);
  }
  const chunkMark = /width="1" height="20" fill="#ffffff"/g;
  expect([...draw(LONG).matchAll(chunkMark)]).toHaveLength(4);
  // The lab's record has chunk sizes, but not when a chunk was through.
  expect([...draw(liveRun()).matchAll(chunkMark)]).toHaveLength(0);
});

test('stalls are marked by more than a colour', () => {
  const sample = madeUpSample({ tokens: 20, stallEvery: 10 });
  const svg = draw(madeUpRecord([{ name: 'r', samples: [sample] }]));
  expect([...svg.matchAll(/fill="url\(#stall-hatch\)"/g)].length).toBe(3);
  expect(texts(svg)).toContain('stall: over 3 times the sample’s median');
  expect(texts(draw(liveRun()))).not.toContain('stall: over 3 times the sample’s median');
});

test('what a record says stays text', () => {
  const svg = draw(EXTREME);
  expect(svg).not.toContain('<script');
  expect(svg).not.toContain('<img');
  expect(svg).not.toMatch(/[\u0000-\u0008\u202E]/);
  expect(texts(svg).some((text) => text.includes('</script><script>alert(1)'))).toBe(true);
  expect(HOSTILE).toContain('\u202E');
});

test('a record without runs, and one with a thousand', () => {
  expect(texts(draw(madeUpRecord([])))).toContain('example/model-1b');
  const many = Array.from({ length: 1000 }, (_, index) => ({
    name: `run ${index}`,
    samples: [madeUpSample({ tokens: 3 })],
  }));
  const svg = draw(madeUpRecord(many));
  expect(svgSize(svg).height).toBeLessThan(20_000);
  expect(texts(svg).filter((text) => text.includes('the first 40 of 1,000 runs'))).toHaveLength(2);
  expect(texts(svg).some((text) => text.includes('the first 200 of 1,000 runs'))).toBe(true);
});

test('only elements of a picture can be written', () => {
  expect(() => svgText({} as ReactNode)).toThrow(TypeError);
  expect(() => svgText(<g onClick={() => undefined} />)).toThrow('onClick');
  expect(svgText(<g aria-label={'"<&>\''}>{'"<&>\''}</g>)).toBe(
    '<g aria-label="&quot;&lt;&amp;&gt;&#x27;">&quot;&lt;&amp;&gt;&#x27;</g>',
  );
});
