import { test } from 'vitest';
import { type Pool, type ResamplingUnit, poolOf } from '../../shared/pool.ts';
import { bootstrap } from '../../shared/bootstrap.ts';
import { type RandomStream, randomStream } from '../../shared/random-stream.ts';

/**
 * Does the 95% interval of a comparison hold the true difference in 95 of 100 comparisons? Two runs are drawn from one
 * distribution, so that the true difference is 0, and the intervals that hold 0 are counted.
 */
const SIMULATIONS = 1000;

const DISTRIBUTIONS: Record<string, (random: RandomStream) => number> = {
  normal: (random) => 100 + 5 * gauss(random),
  'log-normal': (random) => 100 * Math.exp(0.3 * gauss(random)),
  'two peaks': (random) => (random() < 0.8 ? 100 + gauss(random) : 150 + 5 * gauss(random)),
};

function gauss(random: RandomStream): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function coverage(
  shares: number[],
  unit: ResamplingUnit,
  draw: (random: RandomStream) => Pool,
  rounds: number,
): number[] {
  const held = shares.map(() => 0);
  for (let simulation = 0; simulation < SIMULATIONS; simulation += 1) {
    const data = randomStream(7, simulation);
    const stream = (index: number) => randomStream(simulation, index);
    const { differences } = bootstrap({ a: draw(data), b: draw(data), shares, unit, stream, rounds });
    differences.forEach((interval, index) => {
      if (interval !== null && interval.low <= 0 && interval.high >= 0) held[index]! += 1;
    });
  }
  return held.map((count) => count / SIMULATIONS);
}

const percent = (share: number) => `${(100 * share).toFixed(1)}%`;

test('difference of medians, one figure a sample (TTFT, TPOT)', () => {
  for (const [name, value] of Object.entries(DISTRIBUTIONS)) {
    for (const n of [5, 7, 10, 20, 30, 50]) {
      const draw = (random: RandomStream) => poolOf(Array.from({ length: n }, () => [value(random)]));
      const [held] = coverage([0.5], 'samples', draw, 500);
      console.log(`${name.padEnd(12)} n = ${String(n).padStart(2)}: ${percent(held!)}`);
    }
  }
});

test('difference of percentiles of intervals (ITL), 23 intervals a sample and a pace of its own for each sample', () => {
  const shares = [0.5, 0.95, 0.99];
  for (const unit of ['samples', 'samples, then values within them'] as const) {
    for (const n of [5, 10, 20, 30, 50]) {
      const draw = (random: RandomStream) =>
        poolOf(
          Array.from({ length: n }, () => {
            const pace = 25 * Math.exp(0.05 * gauss(random));
            return Array.from({ length: 23 }, () => pace * Math.exp(0.1 * gauss(random)) + (random() < 0.02 ? 100 : 0));
          }),
        );
      const held = coverage(shares, unit, draw, 200);
      console.log(
        `${unit}, n = ${n}: ${held.map((share, index) => `p${100 * shares[index]!} ${percent(share)}`).join(', ')}`,
      );
    }
  }
});
