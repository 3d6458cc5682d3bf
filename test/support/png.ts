import { PNG } from 'pngjs';

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** As #rrggbb; a page is opaque. */
  at(x: number, y: number): string;
}

export function decodePng(bytes: Uint8Array): Picture {
  const { width, height, data } = PNG.sync.read(Buffer.from(bytes));
  return {
    width,
    height,
    at(x, y) {
      const place = (y * width + x) * 4;
      if (data[place + 3] !== 255) throw new Error(`transparent at ${x}, ${y}`);
      return `#${data.subarray(place, place + 3).toString('hex')}`;
    },
  };
}

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The share of pixels in the box that have another colour than `background`. */
export function inkIn(picture: Picture, box: Box, background: string): number {
  let ink = 0;
  let all = 0;
  for (let y = Math.floor(box.top); y < box.bottom; y += 1) {
    for (let x = Math.floor(box.left); x < box.right; x += 1) {
      all += 1;
      if (picture.at(x, y) !== background) ink += 1;
    }
  }
  return ink / all;
}
