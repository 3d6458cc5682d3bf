import { tokenMarks } from '../trace/token-marks.ts';

/** Pixels. */
export interface StripMetrics {
  readonly width: number;
  readonly padding: number;
  readonly gap: number;
  readonly minimum: number;
  /** Room for the mark of a stall or a difference. */
  readonly mark: number;
}

/** Tokens longer than this are cut; the whole text stands in the details. */
export const STRIP_LIMIT = 40;

export interface StripSource {
  text(token: number): string;
  /** How many signs stand before the text: of a stall, of a difference. */
  marks(token: number): number;
  /** Width of a text in pixels. */
  measure(text: string): number;
}

/**
 * Breaks tokens into rows as text is, from their widths alone, so that any row of a hundred thousand tokens can be
 * drawn without those above it. Widths are measured once for each text; tokens that arrive later are added at the end.
 */
export class StripLayout {
  readonly widths: number[] = [];
  /** First token of each row. */
  private readonly starts: number[] = [];
  private used = 0;
  private readonly known = new Map<string, number>();

  constructor(
    private readonly source: StripSource,
    private readonly metrics: StripMetrics,
  ) {}

  get rows(): number {
    return this.starts.length;
  }

  /** Lays out the tokens up to `count`. */
  extend(count: number): void {
    const { gap, width: room } = this.metrics;
    for (let token = this.widths.length; token < count; token += 1) {
      const width = this.widthOf(token);
      this.widths.push(width);
      if (token === 0 || this.used + gap + width > room) {
        this.starts.push(token);
        this.used = width;
      } else this.used += gap + width;
    }
  }

  /** The tokens of a row, as its first and one past its last. */
  span(row: number): [number, number] {
    const end = this.widths.length;
    return [this.starts[row] ?? end, this.starts[row + 1] ?? end];
  }

  /** The row a token stands in. */
  rowOf(token: number): number {
    let low = 0;
    let high = this.starts.length;
    while (low < high - 1) {
      const middle = (low + high) >> 1;
      if ((this.starts[middle] ?? 0) <= token) low = middle;
      else high = middle;
    }
    return low;
  }

  private widthOf(token: number): number {
    const { metrics, source } = this;
    const text = source.text(token);
    let wide = this.known.get(text);
    if (wide === undefined) {
      wide = source.measure(tokenMarks(text, STRIP_LIMIT));
      this.known.set(text, wide);
    }
    const full = Math.max(metrics.minimum, wide + 2 * metrics.padding) + source.marks(token) * metrics.mark;
    return Math.min(Math.ceil(full), metrics.width);
  }
}
