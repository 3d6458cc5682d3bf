import type { LoadedModel } from '../../main/inference/decoder.ts';
import type { DecoderSession } from '../../main/inference/session.ts';
import { median, percentile } from '../../shared/statistics.ts';
import type { PairResult } from './pairs.ts';

/** One side's turn at the runtime, and what each of its steps took. */
interface Side {
  waiting: (() => void) | undefined;
  granted: number;
  finished: boolean;
  readonly stepMs: number[];
}

/**
 * Two decode loops over one session, step about: a step of one, the same step of the other, and so on. What a machine's
 * other work does to a step it does to its neighbour as well, so a difference of one percent shows where whole requests
 * measured in turn differ by ten. A step reaches from one call of the runtime to the next: the pass and all that the
 * loop does around it. The step that evaluates the prompt is left out, and the last, behind which no call comes.
 */
export async function compareSteps(
  name: string,
  rounds: number,
  model: LoadedModel,
  first: (model: LoadedModel) => Promise<unknown>,
  second: (model: LoadedModel) => Promise<unknown>,
): Promise<PairResult> {
  const firsts: number[] = [];
  const seconds: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const [one, other] = await stepAbout(model, first, second, round % 2 === 0);
    if (round < 0) continue;
    firsts.push(...one);
    seconds.push(...other);
  }
  const ratios = firsts.map((ms, index) => ms / (seconds[index] ?? Number.NaN));
  return {
    name,
    pairs: ratios.length,
    ratio: median(ratios),
    ratioP25: percentile(ratios, 0.25),
    ratioP75: percentile(ratios, 0.75),
    firstMs: median(firsts),
    secondMs: median(seconds),
  };
}

async function stepAbout(
  model: LoadedModel,
  first: (model: LoadedModel) => Promise<unknown>,
  second: (model: LoadedModel) => Promise<unknown>,
  firstBegins: boolean,
): Promise<readonly [number[], number[]]> {
  const one: Side = { waiting: undefined, granted: 0, finished: false, stepMs: [] };
  const other: Side = { waiting: undefined, granted: 0, finished: false, stepMs: [] };
  let next = firstBegins ? one : other;

  const proceed = () => {
    const after = next === one ? other : one;
    if (next.waiting === undefined && !next.finished) return;
    if (after.waiting === undefined && !after.finished) return;
    const side = next.finished ? after : next;
    next = side === one ? other : one;
    const go = side.waiting;
    side.waiting = undefined;
    side.granted = performance.now();
    go?.();
  };
  const take = (side: Side): Promise<void> => {
    if (side.granted > 0) side.stepMs.push(performance.now() - side.granted);
    return new Promise((resolve) => {
      side.waiting = resolve;
      proceed();
    });
  };
  const loop = async (side: Side, run: (model: LoadedModel) => Promise<unknown>) => {
    const session: DecoderSession = {
      ...model.session,
      async run(feeds, fetches) {
        await take(side);
        return model.session.run(feeds, fetches);
      },
    };
    await run({ ...model, session });
    side.finished = true;
    proceed();
  };
  await Promise.all([loop(one, first), loop(other, second)]);
  return [one.stepMs.slice(1), other.stepMs.slice(1)];
}
