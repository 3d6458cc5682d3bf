// node resources/icons/render.mjs: icon.svg as the picture that the icons of every system are made of.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Resvg } from '@resvg/resvg-js';

/** The largest size that a macOS icon holds; electron-builder makes .icns and .ico of it. */
const SIZE = 1024;

const svg = readFileSync(join(import.meta.dirname, 'icon.svg'), 'utf8');
const image = new Resvg(svg, { fitTo: { mode: 'width', value: SIZE } }).render();
writeFileSync(join(import.meta.dirname, 'icon.png'), image.asPng());
