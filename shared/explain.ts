import { printable } from './problem.ts';
import type { Explanation, RunSummary } from './summary.ts';
import { counted, countedInWords, decimal, ms, percent } from './units.ts';

/** A first token this many times later than the median, and this much later, is worth a sentence. */
const LATE_FACTOR = 2;
const LATE_MARGIN_MS = 5;
/** Below this share of the wait, tokenization is not worth a word. */
const NOTABLE_TOKENIZATION = 0.05;
/** A mean this far above the median hides that most tokens came faster. */
const HIDING_MEAN = 1.2;

/** Says in plain words where the time of a run went. */
export function explainRun(run: Omit<RunSummary, 'explanation'>): Explanation {
  const details = [whole(run), stalls(run), lateFirstToken(run)].filter((sentence) => sentence !== null);
  return { headline: headline(run), details };
}

/** The run's pace in one sentence: the wait for the first token apart from the time of each later one. */
function headline(run: Omit<RunSummary, 'explanation'>): string {
  const name = printable(run.name);
  if (run.output_tokens.max === 0) return `${name} ended after ${ms(run.e2e_ms.median)} without a token.`;
  const wait = `${name} waited ${ms(run.ttft_ms.median)} for its`;
  if (run.tpot_ms === null) return `${wait} only token${ending(run)}.`;
  return `${wait} first token, then took ${ms(run.tpot_ms.median)} for each of the next${ending(run)}.`;
}

/** Said only when every sample ended that way. */
function ending(run: Omit<RunSummary, 'explanation'>): string {
  const { min, max } = run.output_tokens;
  const after = min === max ? counted(max, 'token') : `${min} to ${counted(max, 'token')}`;
  if (run.stop_reasons.cancelled === run.n) return `, and was stopped by request after ${after}`;
  if (run.stop_reasons.failed === run.n) return `, and failed after ${after}`;
  return '';
}

function whole(run: Omit<RunSummary, 'explanation'>): string | null {
  const { tokenization_of_wait: tokenization, decode, wait } = run.shares;
  if (wait === null || decode === null) return null;
  const larger =
    decode >= wait
      ? `decode is ${percent(decode)} of the whole time`
      : `the wait is ${percent(wait)} of the whole time`;
  if (tokenization === null) return `${larger[0]?.toUpperCase() ?? ''}${larger.slice(1)}.`;
  if (tokenization > 0.5) return `Tokenization is ${percent(tokenization)} of the wait; ${larger}.`;
  const beside = tokenization >= NOTABLE_TOKENIZATION ? `, tokenization ${percent(tokenization)}` : '';
  return `Prefill is ${percent(1 - tokenization)} of the wait${beside}; ${larger}.`;
}

function stalls(run: Omit<RunSummary, 'explanation'>): string | null {
  const { worst, samples } = run.stalls;
  if (worst === null) return null;
  const lost = `Sample ${worst.sample + 1} lost ${ms(worst.ms)} of its ${ms(worst.e2e_ms)} to ${countedInWords(worst.count, 'stall')}`;
  const them = worst.count === 1 ? 'it' : 'them';
  const hidden =
    worst.mean_itl_ms > HIDING_MEAN * worst.median_itl_ms
      ? `; its mean interval (${ms(worst.mean_itl_ms)}) hides ${them}, its median (${ms(worst.median_itl_ms)}) does not`
      : '';
  const others = samples - 1;
  const more = others === 0 ? '' : ` ${capital(countedInWords(others, 'other sample'))} stalled too.`;
  return `${lost}${hidden}.${more}`;
}

function lateFirstToken(run: Omit<RunSummary, 'explanation'>): string | null {
  const { sample, ttft_ms: longest } = run.longest_wait;
  const usual = run.ttft_ms.median;
  if (!(longest > LATE_FACTOR * usual && longest > usual + LATE_MARGIN_MS)) return null;
  const times = usual > 0 ? `, ${decimal(longest / usual, 1)} times the median` : '';
  return `Sample ${sample + 1} waited ${ms(longest)} for its first token${times}.`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
