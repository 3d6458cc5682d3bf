/**
 * Writes shared/report/inter-metrics.ts: how wide each character of the report's fonts is. With --check it only tells
 * whether that file is as the fonts in resources/fonts have it.
 *
 *   node resources/fonts/font-metrics.mjs [--check]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const target = join(root, 'shared/report/inter-metrics.ts');

/** Code point -> advance, from the tables cmap (formats 4 and 12) and hmtx of a TrueType font. */
function advances(file) {
  const font = readFileSync(file);
  const tables = new Map();
  for (let index = 0; index < font.readUInt16BE(4); index += 1) {
    const entry = 12 + 16 * index;
    tables.set(font.toString('latin1', entry, entry + 4), font.readUInt32BE(entry + 8));
  }
  const unitsPerEm = font.readUInt16BE(tables.get('head') + 18);
  const metrics = font.readUInt16BE(tables.get('hhea') + 34);
  const hmtx = tables.get('hmtx');
  const advance = (glyph) => font.readUInt16BE(hmtx + 4 * Math.min(glyph, metrics - 1));
  const widths = new Map();
  const cmap = tables.get('cmap');
  for (let index = 0; index < font.readUInt16BE(cmap + 2); index += 1) {
    const table = cmap + font.readUInt32BE(cmap + 4 + 8 * index + 4);
    if (font.readUInt16BE(table) === 12) {
      for (let group = 0; group < font.readUInt32BE(table + 12); group += 1) {
        const at = table + 16 + 12 * group;
        const start = font.readUInt32BE(at);
        for (let code = start; code <= font.readUInt32BE(at + 4); code += 1) {
          widths.set(code, advance(font.readUInt32BE(at + 8) + code - start));
        }
      }
    } else if (font.readUInt16BE(table) === 4) {
      const count = font.readUInt16BE(table + 6) / 2;
      for (let segment = 0; segment < count; segment += 1) {
        const end = font.readUInt16BE(table + 14 + 2 * segment);
        const start = font.readUInt16BE(table + 16 + 2 * count + 2 * segment);
        const delta = font.readInt16BE(table + 16 + 4 * count + 2 * segment);
        const rangeAt = table + 16 + 6 * count + 2 * segment;
        const range = font.readUInt16BE(rangeAt);
        for (let code = start; code <= end && code !== 0xffff; code += 1) {
          const found = range === 0 ? code + delta : font.readUInt16BE(rangeAt + range + 2 * (code - start));
          const glyph = range === 0 ? found & 0xffff : found === 0 ? 0 : (found + delta) & 0xffff;
          if (glyph !== 0) widths.set(code, advance(glyph));
        }
      }
    }
  }
  return { unitsPerEm, widths };
}

/** `first code point in base 36:advances in base 36, an empty one repeats the last`, for each gapless range. */
function packed(widths) {
  // Control and format characters, private use and right-to-left scripts are not for the report.
  const shown = [...widths].filter(
    ([code]) => !/[\p{C}\p{Bidi_Control}\p{Script=Arabic}\p{Script=Hebrew}]/u.test(String.fromCodePoint(code)),
  );
  const ranges = [];
  let next = -1;
  let last = -1;
  for (const [code, width] of shown.sort(([x], [y]) => x - y)) {
    if (code !== next) {
      ranges.push([code, []]);
      last = -1;
    }
    ranges.at(-1)[1].push(width === last ? '' : width.toString(36));
    last = width;
    next = code + 1;
  }
  return ranges.map(([start, list]) => `${start.toString(36)}:${list.join(',')}`).join(';');
}

const regular = advances(join(root, 'resources/fonts/Inter_400Regular.ttf'));
const semiBold = advances(join(root, 'resources/fonts/Inter_600SemiBold.ttf'));
const text = `// Written by resources/fonts/font-metrics.mjs from the fonts in resources/fonts: do not edit.

/** How many of the units below make up the font size. */
export const UNITS_PER_EM = ${regular.unitsPerEm};

/** Ranges of code points and their advance widths: start:width,width,...;start:... in base 36, empty repeats the last. */
export const REGULAR =
  '${packed(regular.widths)}';
export const SEMI_BOLD =
  '${packed(semiBold.widths)}';
`;

if (!process.argv.includes('--check')) writeFileSync(target, text);
else if (readFileSync(target, 'utf8') !== text) {
  process.stderr.write(
    'shared/report/inter-metrics.ts is not what the fonts give: run node resources/fonts/font-metrics.mjs\n',
  );
  process.exitCode = 1;
}
