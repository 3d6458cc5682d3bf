import { decimal } from '../../shared/units.ts';
import type { Viewport } from './viewport.ts';

export interface Tick {
  readonly ms: number;
  readonly label: string;
}

/** Round moments at least `minGap` pixels apart, written in the unit that suits their distance. */
export function timeTicks(view: Viewport, width: number, minGap = 84): Tick[] {
  const span = view.end - view.start;
  if (!(span > 0) || !(width > 0)) return [];
  const step = roundUp((span * minGap) / width);
  const first = Math.ceil(view.start / step);
  const last = Math.floor(view.end / step);
  const ticks: Tick[] = [];
  for (let index = first; index <= last; index += 1) ticks.push({ ms: index * step, label: label(index * step, step) });
  return ticks;
}

/** The next of 1, 2, 5, 10, ... times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const share = value / power;
  return power * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10);
}

function label(ms: number, step: number): string {
  const seconds = step >= 500;
  const unit = seconds ? step / 1000 : step;
  const decimals = Math.max(0, Math.min(3, -Math.floor(Math.log10(unit) + 1e-9)));
  return `${decimal(seconds ? ms / 1000 : ms, decimals)} ${seconds ? 's' : 'ms'}`;
}
