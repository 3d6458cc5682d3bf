import { type RunSettings, type SettingName, runSettings } from './run-settings.ts';
import type { ModelInfo, Run, TraceRecord } from './record.ts';
import { printable } from './problem.ts';
import { counted } from './units.ts';

/** `comparable`: figures answer one question. `another question`: the prompts differ. `not comparable`: no claim. */
export type Standing = 'comparable' | 'another question' | 'not comparable';

export interface Difference {
  readonly what: string;
  readonly a: string;
  readonly b: string;
  readonly mark: 'changes the question' | 'harmless';
  /** No claim may be made while this differs. */
  readonly rules_out: boolean;
}

export interface Comparability {
  readonly standing: Standing;
  /** In one or two sentences: what the comparison answers, or why it answers nothing. */
  readonly question: string;
  readonly differences: readonly Difference[];
  /** What neither record holds and is taken to be the same. */
  readonly assumed: readonly string[];
}

/**
 * What a difference does to a comparison. `rules out`: the machine, the model or the boundary are others, so that the
 * figures differ for reasons nobody asked about. `compared`: a choice that people compare on purpose; one alone is the question.
 * `question`: the work itself is another. `harmless`: it has no say in the times.
 */
type Effect = 'rules out' | 'compared' | 'question' | 'harmless';

const EFFECTS: { readonly [name in SettingName]: readonly [words: string, effect: Effect] } = {
  model: ['model', 'rules out'],
  dtype: ['dtype', 'rules out'],
  weights: ['weights', 'rules out'],
  parameters: ['parameters', 'rules out'],
  device: ['device', 'rules out'],
  provider: ['execution provider', 'rules out'],
  cpu: ['processor', 'rules out'],
  threads: ['threads', 'rules out'],
  boundary: ['boundary of the measurement', 'rules out'],
  strategy: ['strategy', 'rules out'],
  warmup: ['warm-up', 'rules out'],
  cap: ['output cap', 'rules out'],
  stop: ['stop by request', 'rules out'],
  cache: ['KV cache', 'compared'],
  chunk: ['chunked prefill', 'compared'],
  logits: ['logits', 'compared'],
  attention: ['attention', 'compared'],
  runtime: ['runtime', 'compared'],
  host: ['host process', 'compared'],
  prompt: ['prompt', 'question'],
  replies: ['length of the replies', 'question'],
  os: ['operating system', 'harmless'],
  memory: ['memory', 'harmless'],
  tokenizer: ['tokenizer library', 'harmless'],
  program: ['measuring program', 'harmless'],
  source: ['source of the measuring program', 'harmless'],
  date: ['date', 'harmless'],
  status: ['end of the experiment', 'harmless'],
};
const NAMES = Object.keys(EFFECTS).filter((name): name is SettingName => name in EFFECTS);

/** Whose absence in both records is worth saying: the rest is absent from most records, or harmless. */
const WORTH_ASSUMING: readonly SettingName[] = ['device', 'threads', 'dtype', 'runtime', 'cache', 'chunk', 'prompt'];

export interface RunSource {
  readonly record: TraceRecord;
  readonly run: Run;
}

export function compareSettings(a: RunSource, b: RunSource): Comparability {
  const ofA = runSettings(a.record, a.run);
  const ofB = runSettings(b.record, b.run);
  const found = NAMES.flatMap((name) => difference(name, ofA, ofB));
  const files = modelFiles(a.record.model, b.record.model);
  const all = settleModel(found, files).filter(({ name }) => !(name === 'replies' && explainsReplies(found)));
  const differences = all.map(({ difference: each }) => each);
  const sameRecord = a.record === b.record;
  return {
    ...standing(all),
    differences,
    assumed: sameRecord
      ? []
      : WORTH_ASSUMING.filter((name) => ofA[name] === null && ofB[name] === null).map((name) => EFFECTS[name][0]),
  };
}

interface Found {
  readonly name: SettingName;
  readonly effect: Effect;
  readonly difference: Difference;
}

function difference(name: SettingName, ofA: RunSettings, ofB: RunSettings): Found[] {
  const a = ofA[name];
  const b = ofB[name];
  if (a?.key === b?.key) return [];
  const [what, usual] = EFFECTS[name];
  const effect = name === 'program' && !patchOnly(a?.shown, b?.shown) ? 'compared' : usual;
  // What one record does not hold cannot be told to agree; where it hardly matters nobody needs to know.
  if (effect === 'harmless' && (a === null || b === null)) return [];
  return [found(name, effect, what, a?.shown ?? 'not recorded', b?.shown ?? 'not recorded')];
}

function found(name: SettingName, effect: Effect, what: string, a: string, b: string): Found {
  const mark = effect === 'harmless' ? 'harmless' : 'changes the question';
  return { name, effect, difference: { what, a, b, mark, rules_out: effect === 'rules out' } };
}

function patchOnly(a: string | undefined, b: string | undefined): boolean {
  const minor = (version: string | undefined) => version?.split('.').slice(0, 2).join('.');
  return minor(a) === minor(b);
}

/** Where both records list the model's files by hash, those decide, and the names do not matter. */
function settleModel(all: readonly Found[], files: ReturnType<typeof modelFiles>): Found[] {
  if (files === null) return [...all];
  const others = all.filter(({ name }) => name !== 'model' && name !== 'parameters');
  const named = all.find(({ name }) => name === 'model');
  if (files.length === 0) {
    return named === undefined
      ? others
      : [...others, found('model', 'harmless', 'name of the model', named.difference.a, named.difference.b)];
  }
  const words = `${files.slice(0, 3).map(printable).join(', ')}${files.length > 3 ? ` and ${counted(files.length - 3, 'other')}` : ''}`;
  const { a = 'one content', b = 'another' } = named?.difference ?? {};
  return [found('model', 'rules out', `model files (${words})`, a, b), ...others];
}

/** The files that differ by hash; null when one record lists none. */
function modelFiles(a: ModelInfo, b: ModelInfo): string[] | null {
  if (a.files === undefined || b.files === undefined) return null;
  const hashes = (model: ModelInfo) => new Map((model.files ?? []).map(({ path, sha256 }) => [path, sha256]));
  const ofA = hashes(a);
  const ofB = hashes(b);
  return [...new Set([...ofA.keys(), ...ofB.keys()])].filter((path) => ofA.get(path) !== ofB.get(path)).sort();
}

/** The cap and a stop by request explain why replies are not equally long. */
function explainsReplies(all: readonly Found[]): boolean {
  return all.some(({ name }) => name === 'cap' || name === 'stop' || name === 'prompt');
}

function standing(all: readonly Found[]): { standing: Standing; question: string } {
  const of = (effect: Effect) => all.filter((each) => each.effect === effect).map(({ difference: { what } }) => what);
  const ruledOut = of('rules out');
  const compared = of('compared');
  const questions = of('question');
  if (ruledOut.length > 0) {
    return { standing: 'not comparable', question: `No speed-up can be claimed: ${are(ruledOut)} not the same.` };
  }
  if (compared.length + Math.min(1, questions.length) > 1) {
    const several = [...compared, ...questions];
    return {
      standing: 'not comparable',
      question: `No speed-up can be claimed: ${counted(several.length, 'thing')} differ at once (${several.join(', ')}), so that no difference has one cause.`,
    };
  }
  const [only] = all.filter(({ effect }) => effect === 'compared' || effect === 'question');
  if (only === undefined) {
    return {
      standing: 'comparable',
      question: 'The same request under the same conditions: is one of the two faster?',
    };
  }
  const { what, a, b } = only.difference;
  if (only.effect === 'compared') {
    return { standing: 'comparable', question: `One thing differs, ${what}: what does “${b}” change against “${a}”?` };
  }
  const both =
    questions.length > 1 ? 'The prompts and the replies differ' : `The two differ in their work (${a} against ${b})`;
  return {
    standing: 'another question',
    question: `${both}: this answers a different question, how the times depend on the work, and not which of two ways to do the same work is faster.`,
  };
}

function are(things: readonly string[]): string {
  return `${things.join(', ')} ${things.length === 1 ? 'is' : 'are'}`;
}
