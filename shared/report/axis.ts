import { decimal } from '../units.ts';

export interface AxisTick {
  readonly value: number;
  readonly label: string;
}

/** Round values from 0 to `end`, about `count` of them. */
export function roundTicks(end: number, count: number): number[] {
  if (!(end > 0) || !Number.isFinite(end)) return [0];
  const step = roundUp(end / Math.max(1, count));
  return Array.from({ length: Math.floor(end / step + 1e-9) + 1 }, (_, index) => index * step);
}

/** The same for times in milliseconds, written in the unit that suits their distance. */
export function timeTicks(endMs: number, count: number): AxisTick[] {
  const values = roundTicks(endMs, count);
  const step = values[1] ?? endMs;
  const inSeconds = step >= 500;
  const unit = inSeconds ? step / 1000 : step;
  const decimals = Math.max(0, Math.min(3, -Math.floor(Math.log10(unit) + 1e-9)));
  return values.map((value) => ({
    value,
    label: value === 0 ? 'request' : `${decimal(inSeconds ? value / 1000 : value, decimals)} ${inSeconds ? 's' : 'ms'}`,
  }));
}

/** The next of 1, 2, 5, 10, ... times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const share = value / power;
  return power * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10);
}
