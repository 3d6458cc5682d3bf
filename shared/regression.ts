import type { Comparison, MetricComparison } from './compare.ts';
import { decimal } from './units.ts';

/** What a person waits for: the first token, and each later one. tokens/s would say the same as TPOT once more. */
const GATED: readonly MetricComparison['metric'][] = ['ttft_ms', 'tpot_ms'];

/**
 * One line for each wait or pace of B that is slower than A's by more than `percent`, with 95% confidence: the whole
 * interval of the ratio lies beyond. Empty for runs that are not comparable, and where too few samples allow no verdict.
 */
export function slowerThan(comparison: Comparison, percent: number): string[] {
  return comparison.metrics.flatMap(({ metric, label, verdict, ratio, ratio_interval: interval }) => {
    if (!GATED.includes(metric) || verdict !== 'slower' || ratio === null || interval === null) return [];
    if (!(interval.low > 1 + percent / 100)) return [];
    const least = decimal((interval.low - 1) * 100, 1);
    return [
      `${comparison.b}: ${label} is ${decimal((ratio - 1) * 100, 1)}% slower, with 95% confidence by at least ${least}% (limit ${percent}%)`,
    ];
  });
}
