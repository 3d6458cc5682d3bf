import { median, percentile } from '../../shared/statistics.ts';

/** Two things measured side by side on a noisy machine: the ratios of neighbours, not two averages taken apart. */
export interface PairResult {
  name: string;
  pairs: number;
  /** Median over the pairs of first / second. */
  ratio: number;
  ratioP25: number;
  ratioP75: number;
  /** Medians of each side, in milliseconds, for orientation. */
  firstMs: number;
  secondMs: number;
}

/**
 * Measures two sides in turn, each returning milliseconds. The order swaps from pair to pair, so that neither side
 * profits from following the other.
 */
export async function comparePairs(
  name: string,
  pairs: number,
  first: () => Promise<number>,
  second: () => Promise<number>,
): Promise<PairResult> {
  await first();
  await second();
  const ratios: number[] = [];
  const firsts: number[] = [];
  const seconds: number[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    let one: number;
    let other: number;
    if (pair % 2 === 0) {
      one = await first();
      other = await second();
    } else {
      other = await second();
      one = await first();
    }
    ratios.push(one / other);
    firsts.push(one);
    seconds.push(other);
  }
  return {
    name,
    pairs,
    ratio: median(ratios),
    ratioP25: percentile(ratios, 0.25),
    ratioP75: percentile(ratios, 0.75),
    firstMs: median(firsts),
    secondMs: median(seconds),
  };
}
