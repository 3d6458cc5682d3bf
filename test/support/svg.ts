/** The texts of an SVG of ours with what decides their place, read without the code that wrote it. */
export interface SvgText {
  readonly text: string;
  readonly xs: readonly number[];
  readonly y: number;
  readonly size: number;
  readonly weight: 400 | 600;
  readonly anchor: string;
  readonly spacing: number;
}

export function svgTexts(svg: string): SvgText[] {
  return [...svg.matchAll(/<text ([^>]*)>(?:<title>[^<]*<\/title>)?([^<]*)<\/text>/g)].map(
    ([, attributes = '', text = '']) => {
      const read = (name: string) => new RegExp(`(?:^| )${name}="([^"]*)"`).exec(attributes)?.[1];
      return {
        text: unescaped(text),
        xs: (read('x') ?? '').split(' ').map(Number),
        y: Number(read('y')),
        size: Number(read('font-size')),
        weight: read('font-weight') === '600' ? 600 : 400,
        anchor: read('text-anchor') ?? 'start',
        spacing: Number(read('letter-spacing') ?? 0),
      };
    },
  );
}

/** Left, top, right and bottom of every rectangle. */
export function svgRects(svg: string): { x: number; y: number; width: number; height: number }[] {
  return [...svg.matchAll(/<rect ([^>]*)>/g)].flatMap(([, attributes = '']) => {
    const read = (name: string) => Number(new RegExp(`(?:^| )${name}="([^"]*)"`).exec(attributes)?.[1] ?? 0);
    // The pattern's own rectangle has no place on the page.
    return attributes.includes(' x="') || attributes.startsWith('x="')
      ? [{ x: read('x'), y: read('y'), width: read('width'), height: read('height') }]
      : [];
  });
}

export function svgSize(svg: string): { width: number; height: number } {
  const size = / width="(\d+)" height="(\d+)"/.exec(svg);
  return { width: Number(size?.[1]), height: Number(size?.[2]) };
}

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#x27;': "'" };

function unescaped(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => ENTITIES[entity]!);
}
