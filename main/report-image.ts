import { join } from 'node:path';
import { TokenscopeError } from '../shared/errors.ts';
import { count } from '../shared/units.ts';
import { FONT_FOLDER } from './app-paths.ts';

/** A picture takes four bytes a pixel while it is drawn, and as much again while it is packed: half a gigabyte in all. */
const MAX_PIXELS = 64e6;
/** Of the widest and highest picture that common programs open. */
const MAX_SIDE = 32_767;

const FONT_FILES = ['Inter_400Regular.ttf', 'Inter_600SemiBold.ttf'];

/**
 * An SVG of ours as PNG, `scale` pixels for each of its own. Drawn with the bundled fonts and no others, so that it is
 * the same everywhere. Throws a TokenscopeError of code `argument` for a picture that is too large.
 */
export async function svgToPng(svg: string, scale: number): Promise<Uint8Array> {
  const { width, height } = sizeOf(svg);
  refuseTooLarge(width, height, scale);
  // A native module: loaded only when a picture is wanted.
  const { Resvg } = await import('@resvg/resvg-js');
  const image = new Resvg(svg, {
    fitTo: { mode: 'zoom', value: scale },
    font: {
      fontFiles: FONT_FILES.map((name) => join(FONT_FOLDER, name)),
      loadSystemFonts: false,
      defaultFontFamily: 'Inter',
    },
  });
  return image.render().asPng();
}

function sizeOf(svg: string): { width: number; height: number } {
  const size = / width="(\d+)" height="(\d+)"/.exec(svg);
  return { width: Number(size?.[1] ?? 0), height: Number(size?.[2] ?? 0) };
}

function refuseTooLarge(width: number, height: number, scale: number): void {
  const fits = (by: number): boolean =>
    width * height * by * by <= MAX_PIXELS && Math.max(width, height) * by <= MAX_SIDE;
  if (fits(scale)) return;
  const most = Math.min(Math.sqrt(MAX_PIXELS / (width * height)), MAX_SIDE / Math.max(width, height));
  const rounded = Math.floor(most * 10) / 10;
  const smaller = rounded >= 0.5 ? `use a scale of at most ${rounded}, or ` : '';
  throw new TokenscopeError(
    'argument',
    `the picture would have ${count(Math.ceil(width * scale))} x ${count(Math.ceil(height * scale))} pixels, at most ${count(MAX_PIXELS)} in all and ${count(MAX_SIDE)} a side can be drawn`,
    { path: 'scale', remedy: `${smaller}write SVG, which has no limit` },
  );
}
