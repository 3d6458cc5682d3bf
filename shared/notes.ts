import { printable, quoted } from './problem.ts';
import type { Run, Sample, TraceRecord } from './record.ts';
import { isTiming } from './refusals.ts';
import { mean, median, roundTo3 } from './statistics.ts';
import type { Note } from './summary.ts';
import { counted } from './units.ts';

/** Below this many samples a median says little; the reference lab's own record has 3. */
export const FEW_SAMPLES = 5;

/**
 * How far a stored figure may lie from the one its samples give. Both are rounded to 3 decimals, and the stored one may
 * come from intervals before they were rounded.
 */
const STORED_TOLERANCE_MS = 0.0015;

/** Enough to know; a record of a million runs could have several million. */
const MAX_NOTES = 200;

/** What a reader should know before trusting a record that is consistent in itself. */
export function recordNotes(record: TraceRecord): Note[] {
  const notes = [
    ...statusNotes(record),
    ...syntheticNote(record),
    ...skippedNotes(record),
    ...deviceNote(record),
    ...rawPromptNote(record),
    ...allLogitsNote(record),
    ...nameNotes(record.runs),
    ...fewSamples(record.runs),
  ];
  record.runs.forEach((run, index) => {
    if (notes.length >= MAX_NOTES) return;
    const path = `runs[${index}]`;
    notes.push(...storedFigures(run, path), ...tokenizationNotes(run, path), ...differingTokens(run, path));
  });
  return notes;
}

function statusNotes(record: TraceRecord): Note[] {
  if (record.status === undefined || record.status === 'complete') return [];
  const reason = record.status_reason === undefined ? '' : `: ${printable(record.status_reason)}`;
  const words = {
    cancelled: 'The experiment was stopped by request and holds what was measured until then',
    failed: 'The experiment failed and holds what was measured until then',
    partial: 'The experiment did not reach its end and holds what was measured until then',
  };
  return [{ kind: 'status', path: 'status', text: `${words[record.status]}${reason}.` }];
}

function syntheticNote(record: TraceRecord): Note[] {
  if (record.model.weights !== 'synthetic') return [];
  const text = 'The weights are random numbers in the shape of the model: times are meaningful, texts are not.';
  return [{ kind: 'synthetic', path: 'model.weights', text }];
}

function deviceNote({ environment }: TraceRecord): Note[] {
  if (environment?.device_note === undefined) return [];
  const text = `It ran on ${printable(environment.device ?? 'another device')}: ${printable(environment.device_note)}.`;
  return [{ kind: 'device', path: 'environment.device_note', text }];
}

function rawPromptNote({ model: { chat_template: template } }: TraceRecord): Note[] {
  if (template === undefined || template === true) return [];
  const why = template === false ? 'the model has no chat template' : `its chat template ${printable(template)}`;
  const text = `Prompts went in as they are, without the marks of a chat: ${why}.`;
  return [{ kind: 'raw-prompt', path: 'model.chat_template', text }];
}

function allLogitsNote({ model }: TraceRecord): Note[] {
  if (model.logits_control !== 'none') return [];
  const why = model.logits_note === undefined ? '' : `: ${printable(model.logits_note)}`;
  const text = `Logits of every position were computed, whatever was asked for${why}.`;
  return [{ kind: 'all-logits', path: 'model.logits_control', text }];
}

function skippedNotes(record: TraceRecord): Note[] {
  return (record.skipped ?? []).map(({ step, reason }, index) => ({
    kind: 'skipped',
    path: `skipped[${index}]`,
    text: `Not measured: ${printable(step)} (${printable(reason)}).`,
  }));
}

function nameNotes(runs: readonly Run[]): Note[] {
  const first = new Map<string, number>();
  return runs.flatMap((run, index): Note[] => {
    const earlier = first.get(run.name);
    if (earlier === undefined) first.set(run.name, index);
    else {
      const text = `Runs ${earlier + 1} and ${index + 1} are both named ${quoted(run.name)}; by name, the later one stands for both.`;
      return [{ kind: 'duplicate-name', path: `runs[${index}].name`, text }];
    }
    return [];
  });
}

/** One note for all runs, as most records have the same number of samples everywhere. */
function fewSamples(runs: readonly Run[]): Note[] {
  const few = runs.filter((run) => run.samples.length < FEW_SAMPLES);
  const most = few.reduce((highest, run) => Math.max(highest, run.samples.length), 0);
  if (most === 0) return [];
  const least = few.reduce((lowest, run) => Math.min(lowest, run.samples.length), most);
  const which =
    few.length === runs.length
      ? 'Every run has'
      : `${few.length} of ${runs.length} runs ${few.length === 1 ? 'has' : 'have'}`;
  const samples = least === most ? counted(most, 'sample') : `at most ${most} samples`;
  const text = `${which} ${samples}: too few to tell a small difference from chance.`;
  return [{ kind: 'few-samples', path: 'runs', text }];
}

/** Stored figures that the samples contradict: one note for each kind of figure, naming the first place. */
function storedFigures(run: Run, path: string): Note[] {
  const notes: Note[] = [];
  const wrong = run.samples.findIndex((sample) => disagrees(sample.tpot_ms, tpotOf(sample)));
  const sample = run.samples[wrong];
  if (sample !== undefined) {
    notes.push(storedNote(`${path}.samples[${wrong}].tpot_ms`, sample.tpot_ms, tpotOf(sample), 'its intervals'));
  }
  const ttft = median(run.samples.map((one) => one.ttft_ms));
  if (disagrees(run.median_ttft_ms, ttft)) {
    notes.push(storedNote(`${path}.median_ttft_ms`, run.median_ttft_ms, ttft, 'its samples'));
  }
  const tpots = run.samples.flatMap((one) => tpotOf(one) ?? []);
  const tpot = tpots.length > 0 ? median(tpots) : null;
  if (disagrees(run.median_tpot_ms, tpot)) {
    notes.push(storedNote(`${path}.median_tpot_ms`, run.median_tpot_ms, tpot, 'its samples'));
  }
  return notes;
}

function tpotOf(sample: Sample): number | null {
  return sample.itl_ms.length > 0 ? mean(sample.itl_ms) : null;
}

function disagrees(stored: number | null | undefined, computed: number | null): boolean {
  if (stored === undefined) return false;
  if (stored === null || computed === null) return stored !== computed;
  return !(Math.abs(stored - computed) <= STORED_TOLERANCE_MS);
}

function storedNote(path: string, stored: number | null | undefined, computed: number | null, source: string): Note {
  const from = computed === null ? 'there is none' : `it is ${roundTo3(computed)}`;
  return {
    kind: 'stored-figure',
    path,
    text: `The stored figure is ${stored ?? 'null'}, but by ${source} ${from}; the latter is shown.`,
  };
}

function tokenizationNotes(run: Run, path: string): Note[] {
  const wrong = run.samples.findIndex(
    ({ tokenization_ms: time, ttft_ms: ttft }) => time !== undefined && !(isTiming(time) && time <= ttft),
  );
  const sample = run.samples[wrong];
  if (sample === undefined) return [];
  const text = `Tokenization of ${sample.tokenization_ms} ms does not fit into a wait of ${sample.ttft_ms} ms: it is left out.`;
  return [{ kind: 'tokenization', path: `${path}.samples[${wrong}].tokenization_ms`, text }];
}

/** Greedy decoding of one prompt gives the same tokens each time, unless two logits are almost equal or state leaks. */
function differingTokens(run: Run, path: string): Note[] {
  const [first, ...others] = run.samples;
  if (first === undefined) return [];
  const at = others.findIndex(
    (other) =>
      other.prompt === first.prompt &&
      other.generated_token_ids.some(
        (id, index) => index < first.generated_token_ids.length && id !== first.generated_token_ids[index],
      ),
  );
  if (at < 0) return [];
  const text = `Samples 1 and ${at + 2} have the same prompt but not the same tokens.`;
  return [{ kind: 'tokens-differ', path: `${path}.samples[${at + 1}].generated_token_ids`, text }];
}
