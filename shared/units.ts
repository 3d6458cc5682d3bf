/**
 * How figures are written, everywhere the same and the same in every locale: a point for decimals, a comma between
 * thousands. A figure that is not known is written as a dash, never as "NaN" or "null".
 */

export const UNKNOWN = '–';

/** Groups the whole part of a plain decimal number by thousands: 1204.5 -> 1,204.5. */
function grouped(decimal: string): string {
  const [whole = '', fraction] = decimal.split('.');
  const digits = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? digits : `${digits}.${fraction}`;
}

/** A fixed number of decimals, at most 20. From 1e21 on toFixed falls back to exponents, which stay as they are. */
export function decimal(value: number | null | undefined, decimals: number): string {
  if (value === null || value === undefined || Number.isNaN(value)) return UNKNOWN;
  if (!Number.isFinite(value)) return value > 0 ? 'infinite' : '-infinite';
  const text = value.toFixed(decimals);
  return text.includes('e') ? text : grouped(text);
}

/** 24 or 1,204. */
export function count(value: number | null | undefined): string {
  return decimal(value, 0);
}

/** Decimals that keep about three figures: 0.312, 4.07, 36.4, 907. */
function decimalsFor(value: number): number {
  const size = Math.abs(value);
  if (size >= 1000) return 0;
  if (size >= 10) return 1;
  return size >= 1 ? 2 : 3;
}

/** Milliseconds without the unit, for a column whose header carries it. One decimal, or more for short times. */
export function msValue(value: number | null | undefined): string {
  if (value === null || value === undefined) return UNKNOWN;
  return decimal(value, Math.max(1, decimalsFor(value)));
}

/** A time in a sentence: 0.312 ms, 4.07 ms, 36.4 ms, 907 ms, 12.1 s. */
export function ms(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return UNKNOWN;
  if (Math.abs(value) >= 10_000) return `${decimal(value / 1000, decimalsFor(value / 1000))} s`;
  const decimals = Math.abs(value) >= 100 ? 0 : decimalsFor(value);
  return `${decimal(value, decimals)} ms`;
}

/** Bytes in decimal units, as storage and model sizes are given: 1.98 GB. */
export function bytes(value: number | null | undefined): string {
  if (value === null || value === undefined) return UNKNOWN;
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  let size = value;
  let unit = 0;
  while (Math.abs(size) >= 999.5 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  const decimals = unit === 0 || Math.abs(size) >= 100 ? 0 : Math.abs(size) >= 10 ? 1 : 2;
  return `${decimal(size, decimals)} ${units[unit] ?? 'B'}`;
}

/** A large count in short: 494.0 M, 985.2 k. */
export function shortCount(value: number | null | undefined): string {
  if (value === null || value === undefined) return UNKNOWN;
  const size = Math.abs(value);
  if (size >= 1e9) return `${decimal(value / 1e9, 2)} B`;
  if (size >= 1e6) return `${decimal(value / 1e6, 1)} M`;
  return size >= 10_000 ? `${decimal(value / 1000, 1)} k` : decimal(value, 0);
}

/** Per second, without the unit: 41.5, 1,204. */
export function rateValue(value: number | null | undefined): string {
  if (value === null || value === undefined) return UNKNOWN;
  return decimal(value, Math.abs(value) >= 1000 ? 0 : 1);
}

export function tokensPerSecond(value: number | null | undefined): string {
  return value === null || value === undefined ? UNKNOWN : `${rateValue(value)} tokens/s`;
}

/** A share from 0 to 1 as whole percent; what is small but present is not written as 0%, nor a rest as 100%. */
export function percent(share: number | null | undefined): string {
  if (share === null || share === undefined || Number.isNaN(share)) return UNKNOWN;
  if (share > 0 && share < 0.005) return '<1%';
  if (share < 1 && share >= 0.995) return '>99%';
  return `${decimal(share * 100, 0)}%`;
}

/** "1 sample", "3 samples". */
export function counted(amount: number, singular: string, plural = `${singular}s`): string {
  return `${count(amount)} ${amount === 1 ? singular : plural}`;
}

const SMALL_NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

/** Small numbers in words, for sentences: two stalls, 12 stalls. */
export function countedInWords(amount: number, singular: string, plural = `${singular}s`): string {
  return `${SMALL_NUMBERS[amount] ?? count(amount)} ${amount === 1 ? singular : plural}`;
}
