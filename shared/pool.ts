import type { RandomStream } from './random-stream.ts';

/**
 * Values that came in samples, sorted once for many resamples. A resample is then a weight for each value, and a
 * percentile of it one walk over the weights, instead of a copy and a sort.
 */
export interface Pool {
  readonly sorted: Float64Array;
  /** The sample that each sorted value belongs to. */
  readonly owner: Uint32Array;
  /** For each sample, where its values are in `sorted`. */
  readonly places: readonly Uint32Array[];
}

/** Which level is drawn anew: whole samples with all their values, or samples and then values within each. */
export type ResamplingUnit = 'samples' | 'samples, then values within them';

export function poolOf(samples: readonly (readonly number[])[]): Pool {
  const size = samples.reduce((total, values) => total + values.length, 0);
  const values = new Float64Array(size);
  const owners = new Uint32Array(size);
  let filled = 0;
  samples.forEach((own, index) => {
    values.set(own, filled);
    owners.fill(index, filled, filled + own.length);
    filled += own.length;
  });
  const order = new Uint32Array(size).map((_, index) => index);
  order.sort((x, y) => (values[x] ?? 0) - (values[y] ?? 0) || x - y);
  const owner = order.map((at) => owners[at] ?? 0);
  const places = samples.map((own) => new Uint32Array(own.length));
  const next = new Uint32Array(samples.length);
  owner.forEach((sample, place) => {
    const at = next[sample] ?? 0;
    places[sample]?.fill(place, at, at + 1);
    next[sample] = at + 1;
  });
  return { sorted: Float64Array.from(order, (at) => values[at] ?? 0), owner, places };
}

/** Fills `weights` (one for each sorted value) with how often a resample holds the value; returns their sum. */
export function drawWeights(pool: Pool, unit: ResamplingUnit, random: RandomStream, weights: Uint32Array): number {
  const samples = pool.places.length;
  let total = 0;
  if (unit === 'samples') {
    const times = new Uint32Array(samples);
    for (let draw = 0; draw < samples; draw += 1) {
      const sample = Math.floor(random() * samples);
      times[sample] = (times[sample] ?? 0) + 1;
      total += pool.places[sample]?.length ?? 0;
    }
    for (let at = 0; at < weights.length; at += 1) weights[at] = times[pool.owner[at] ?? 0] ?? 0;
    return total;
  }
  weights.fill(0);
  for (let draw = 0; draw < samples; draw += 1) {
    const places = pool.places[Math.floor(random() * samples)];
    if (places === undefined) continue;
    total += places.length;
    for (let value = 0; value < places.length; value += 1) {
      const at = places[Math.floor(random() * places.length)] ?? 0;
      weights[at] = (weights[at] ?? 0) + 1;
    }
  }
  return total;
}

/**
 * Percentiles of the weighted values by linear interpolation between closest ranks, as statistics.ts takes them of a
 * list; `shares` from 0 to 1, ascending. `total` is the sum of the weights and more than 0.
 */
export function weightedPercentiles(
  sorted: Float64Array,
  weights: Uint32Array,
  total: number,
  shares: readonly number[],
): number[] {
  const found: number[] = [];
  let at = 0;
  let below = 0;
  for (const share of shares) {
    const position = share * (total - 1);
    const rank = Math.floor(position);
    while (below + (weights[at] ?? 0) <= rank && at < sorted.length - 1) {
      below += weights[at] ?? 0;
      at += 1;
    }
    const lower = sorted[at] ?? 0;
    let upperAt = at;
    if (below + (weights[at] ?? 0) <= rank + 1) {
      upperAt += 1;
      while (upperAt < sorted.length - 1 && weights[upperAt] === 0) upperAt += 1;
    }
    const upper = rank + 1 < total ? (sorted[upperAt] ?? lower) : lower;
    const part = position - rank;
    const step = upper - lower;
    found.push(part < 0.5 ? lower + step * part : upper - step * (1 - part));
  }
  return found;
}
