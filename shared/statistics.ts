/**
 * The arithmetic behind every figure. Sums are exactly rounded, so that the order of the intervals and their number do
 * not change a verdict; the results agree bit for bit with CPython's math.fsum, statistics.fmean, statistics.median,
 * round(x, 3) and math.isclose, because the reference lab's figures were computed with those.
 */

/** How percentiles are computed: Hyndman and Fan's type 7, the default of numpy, vLLM's benchmark and AIPerf. */
export const PERCENTILE_METHOD = 'linear interpolation between closest ranks (as numpy by default)';

/**
 * The sum of all values, rounded once. Shewchuk's algorithm (Adaptive Precision Floating-Point Arithmetic, 1997): the
 * running sum is held as a list of doubles that do not overlap, so nothing is lost until the end.
 * NaN gives NaN; where an intermediate sum exceeds the largest double the result is infinite (CPython raises instead).
 */
export function exactSum(values: ArrayLike<number>): number {
  // Non-overlapping doubles, the smallest first; `used` of them count. 40 would span the whole range of doubles.
  const partials: number[] = [0, 0, 0, 0];
  let used = 0;
  let special = 0;
  for (let index = 0; index < values.length; index += 1) {
    let high = values[index] ?? 0;
    if (!Number.isFinite(high)) {
      special += high;
      continue;
    }
    let kept = 0;
    for (let at = 0; at < used; at += 1) {
      const partial = partials[at] ?? 0;
      const sum = high + partial;
      const lost = Math.abs(high) < Math.abs(partial) ? high - (sum - partial) : partial - (sum - high);
      if (lost !== 0) {
        partials[kept] = lost;
        kept += 1;
      }
      high = sum;
    }
    if (!Number.isFinite(high)) return high;
    used = kept;
    if (high !== 0) {
      partials[used] = high;
      used += 1;
    }
  }
  return special === 0 ? roundPartials(partials, used) : special;
}

/** Adds non-overlapping partials from the largest down, and corrects the one case where rounding half to even errs. */
function roundPartials(partials: readonly number[], used: number): number {
  let index = used - 1;
  let sum = index < 0 ? 0 : (partials[index] ?? 0);
  let lost = 0;
  while (index > 0 && lost === 0) {
    index -= 1;
    const before = sum;
    const next = partials[index] ?? 0;
    sum = before + next;
    lost = next - (sum - before);
  }
  // The remainder was exactly half a unit in the last place, and a smaller partial with the same sign breaks the tie.
  const below = index > 0 ? (partials[index - 1] ?? 0) : 0;
  if ((lost < 0 && below < 0) || (lost > 0 && below > 0)) {
    const doubled = lost * 2;
    const rounded = sum + doubled;
    if (doubled === rounded - sum) return rounded;
  }
  return sum;
}

/** Arithmetic mean, from an exactly rounded sum. Throws a RangeError for no values. */
export function mean(values: ArrayLike<number>): number {
  if (values.length === 0) throw new RangeError('No values have no mean');
  return exactSum(values) / values.length;
}

/** The middle value, or the mean of the two in the middle. Throws a RangeError for no values. */
export function median(values: ArrayLike<number>): number {
  return medianOfSorted(ascending(values));
}

export function medianOfSorted(sorted: ArrayLike<number>): number {
  const upper = sorted[sorted.length >> 1];
  if (upper === undefined) throw new RangeError('No values have no median');
  if (sorted.length % 2 === 1) return upper;
  const lower = sorted[(sorted.length >> 1) - 1] ?? upper;
  const sum = lower + upper;
  return Number.isFinite(sum) ? sum / 2 : lower / 2 + upper / 2;
}

/** A sorted copy: doubles sort without a comparison function, and faster, in a typed array. */
export function ascending(values: ArrayLike<number>): Float64Array {
  return new Float64Array(values).sort();
}

/**
 * The value below which the share `q` (0 to 1) of the sorted values lies, by `PERCENTILE_METHOD`. The interpolation is
 * anchored at the nearer neighbour, as numpy does it. Throws a RangeError for no values and for a share out of bounds.
 */
export function percentileOfSorted(sorted: ArrayLike<number>, q: number): number {
  if (!(q >= 0 && q <= 1)) throw new RangeError(`A percentile's share must lie between 0 and 1, not ${q}`);
  const position = q * (sorted.length - 1);
  const lower = sorted[Math.floor(position)];
  if (lower === undefined) throw new RangeError('No values have no percentiles');
  const upper = sorted[Math.floor(position) + 1] ?? lower;
  const share = position - Math.floor(position);
  const step = upper - lower;
  return share < 0.5 ? lower + step * share : upper - step * (1 - share);
}

export function percentile(values: ArrayLike<number>, q: number): number {
  return percentileOfSorted(ascending(values), q);
}

/**
 * Rounded to 3 decimals as CPython's round(x, 3): from the exact binary value, ties to even. toFixed also works on the
 * exact value but rounds ties up, and a double can only be such a tie when 16 times it is an odd whole number.
 */
export function roundTo3(value: number): number {
  // From 2^52 on every double is a whole number, and toFixed would turn to exponents.
  if (!Number.isFinite(value) || value === 0 || Math.abs(value) >= 2 ** 52) return value;
  const rounded = Number(value.toFixed(3));
  if (Math.abs((value * 16) % 2) !== 1) return rounded;
  const whole = Math.trunc(Math.abs(value));
  const below = Math.floor((Math.abs(value) - whole) * 1000);
  const even = below % 2 === 0 ? below : below + 1;
  return Math.sign(value) * Number(`${whole}.${String(even).padStart(3, '0')}`);
}

/** CPython's math.isclose with its default relative tolerance of 1e-9: infinities are close only to themselves. */
export function isClose(a: number, b: number, absoluteTolerance = 0, relativeTolerance = 1e-9): boolean {
  if (a === b) return true;
  if (!Number.isFinite(a) || !Number.isFinite(b)) return false;
  const difference = Math.abs(b - a);
  return (
    difference <= Math.abs(relativeTolerance * b) ||
    difference <= Math.abs(relativeTolerance * a) ||
    difference <= absoluteTolerance
  );
}
