import { describe, expect, test } from 'vitest';
import { recordId, reportFile, reportSvg } from '../../../main/report.ts';
import { svgToPng } from '../../../main/report-image.ts';
import type { TraceRecord } from '../../../shared/record.ts';
import { PALETTES, type ReportTheme } from '../../../shared/report/palette.ts';
import { textWidth } from '../../../shared/report/text-width.ts';
import { summarizeRecord } from '../../../shared/summarize.ts';
import { type Picture, decodePng, inkIn } from '../../support/png.ts';
import { liveRun } from '../../support/records.ts';
import { EXTREME, LONG, SHORT, hugeRecord, madeUpRecord, madeUpSample } from '../../support/report-records.ts';
import { svgSize, svgTexts } from '../../support/svg.ts';

function requestOf(record: TraceRecord, theme: ReportTheme = 'light') {
  const result = summarizeRecord(record);
  if (!result.ok) throw new Error('refused');
  return { record, summary: result.summary, theme };
}

async function pngOf(record: TraceRecord, theme: ReportTheme, scale: number): Promise<Picture> {
  return decodePng((await reportFile(requestOf(record, theme), 'png', scale)) as Uint8Array);
}

const CASES = [
  ['live-run', liveRun()],
  ['short', SHORT],
  ['long', LONG],
  ['extreme', EXTREME],
] as const;

describe.each(['light', 'dark'] as const)('%s', (theme) => {
  test.each(CASES)('%s: every text is drawn where it stands, and nothing reaches the edges', async (_, record) => {
    const scale = 1;
    const picture = await pngOf(record, theme, scale);
    const svg = await reportSvg(requestOf(record, theme));
    const { page, card } = PALETTES[theme];
    expect(picture).toMatchObject(svgSize(svg));

    const { width, height } = picture;
    const margins = [
      { left: 0, top: 0, right: width, bottom: 40 },
      { left: 0, top: height - 30, right: width, bottom: height },
      { left: 0, top: 0, right: 46, bottom: height },
      { left: width - 46, top: 0, right: width, bottom: height },
    ];
    for (const margin of margins) expect(inkIn(picture, margin, page)).toBe(0);

    for (const { text, xs, y, size, weight, anchor } of svgTexts(svg)) {
      if (text.trim() === '') continue;
      const used = textWidth(text, size, weight);
      const left = xs[0]! - (anchor === 'end' ? used : anchor === 'middle' ? used / 2 : 0);
      const box = { left, top: y - size * 0.8, right: left + Math.max(2, used), bottom: y };
      const background = picture.at(Math.max(0, Math.floor(left) - 2), Math.floor(y)) === card ? card : page;
      expect(inkIn(picture, box, background), text).toBeGreaterThan(0.04);
    }
  });
});

test('the same record gives the same bytes, whatever the order of its fields', async () => {
  const record = liveRun();
  const first = (await reportFile(requestOf(record), 'png', 1)) as Uint8Array;
  const again = (await reportFile(requestOf(liveRun()), 'png', 1)) as Uint8Array;
  const { runs, model, ...rest } = liveRun();
  const reordered = { ...rest, runs, model } as TraceRecord;
  expect(Object.keys(reordered)).not.toEqual(Object.keys(record));
  expect(Buffer.compare(first, again)).toBe(0);
  expect(recordId(reordered)).toBe(recordId(record));
  expect(await reportFile(requestOf(reordered), 'svg')).toBe(await reportFile(requestOf(record), 'svg'));
});

test('the id is that of the figures: one changed digit is another record', () => {
  const changed = liveRun();
  changed.runs[0]!.samples[0]!.ttft_ms += 0.001;
  expect(recordId(liveRun())).toMatch(/^[0-9a-f]{64}$/);
  expect(recordId(changed)).not.toBe(recordId(liveRun()));
});

test('twice as large has twice the pixels, by default', async () => {
  const picture = decodePng((await reportFile(requestOf(SHORT), 'png')) as Uint8Array);
  const { width, height } = svgSize(await reportSvg(requestOf(SHORT)));
  expect(picture).toMatchObject({ width: 2 * width, height: 2 * height });
});

test('a picture that is too large is refused with its size and what to do', async () => {
  const request = requestOf(LONG);
  await expect(reportFile(request, 'png', 16)).rejects.toMatchObject({
    code: 'argument',
    path: 'scale',
    message: expect.stringMatching(
      /^the picture would have 19,200 x [\d,]+ pixels, at most 64,000,000 in all and 32,767 a side/,
    ),
    remedy: expect.stringMatching(/^use a scale of at most \d\.\d, or write SVG/),
  });
  const tall = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="200000"></svg>';
  await expect(svgToPng(tall, 1)).rejects.toMatchObject({ remedy: 'write SVG, which has no limit' });
});

test('a boxed letter is drawn as a box, not left out', async () => {
  const record = (name: string) => madeUpRecord([{ name, samples: [madeUpSample({ tokens: 3 })] }]);
  const svg = await reportSvg(requestOf(record('日本')));
  const box = svgTexts(svg).find(({ text, size }) => text === '□□' && size === 14)!;
  const picture = await pngOf(record('日本'), 'light', 2);
  const ink = inkIn(
    picture,
    { left: box.xs[0]! * 2, top: (box.y - 12) * 2, right: (box.xs[0]! + 24) * 2, bottom: box.y * 2 },
    PALETTES.light.page,
  );
  expect(ink).toBeGreaterThan(0.15);
});

test('a record of 100,000 tokens stays a small picture', async () => {
  const svg = await reportSvg(requestOf(hugeRecord()));
  expect(svg.length).toBeLessThan(200_000);
});

test('both weights are drawn from a font of their own', async () => {
  const word = async (weight: number) => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="40" font-family="Inter"><rect width="200" height="40" fill="#ffffff"/><text x="5" y="30" font-size="24" font-weight="${weight}">short_cached</text></svg>`;
    return inkIn(decodePng(await svgToPng(svg, 2)), { left: 0, top: 0, right: 400, bottom: 80 }, '#ffffff');
  };
  expect(await word(600)).toBeGreaterThan((await word(400)) * 1.15);
});
