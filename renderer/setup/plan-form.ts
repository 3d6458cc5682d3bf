import { type DeviceChoice, type PlanInput, planSchema } from '../../shared/plan.ts';
import { STANDARD_SUITE } from '../../shared/standard-suite.ts';

/**
 * A plan while it is being written: numbers are kept as they were typed, so that a wrong one can be seen and explained.
 * The schema that the engine uses is the only judge.
 */
export interface PlanForm {
  name: string;
  threads: string;
  device: DeviceChoice;
  warmup: { on: boolean; prompt: string; max_new_tokens: string };
  runs: RunForm[];
  batch: { on: boolean; prompts: string; batch_sizes: string; max_new_tokens: string };
  prefix: { on: boolean; prefix: string; suffix: string };
}

export interface RunForm {
  /** For the list on screen only. */
  key: string;
  name: string;
  prompt: string;
  max_new_tokens: string;
  use_cache: boolean;
  chunk_size: string;
  cancel_after: string;
  repeats: string;
  logits: 'last' | 'all';
}

let nextKey = 1;
export function newKey(): string {
  return `run-${nextKey++}`;
}

/** A form that says what the plan says, defaults filled in. */
export function formOfPlan(input: PlanInput): PlanForm {
  const plan = planSchema.parse(input);
  const suite = planSchema.parse(STANDARD_SUITE);
  const { warmup, batch_sweep: batch, prefix_reuse: prefix } = plan;
  const text = (value: number | null | undefined): string =>
    value === null || value === undefined ? '' : String(value);
  return {
    name: plan.name,
    threads: text(plan.threads),
    device: plan.device,
    warmup: {
      on: warmup !== null,
      prompt: warmup?.prompt ?? suite.warmup?.prompt ?? '',
      max_new_tokens: text(warmup?.max_new_tokens ?? 4),
    },
    runs: plan.runs.map((run) => ({
      key: newKey(),
      name: run.name,
      prompt: run.prompt,
      max_new_tokens: text(run.max_new_tokens),
      use_cache: run.use_cache,
      chunk_size: text(run.chunk_size),
      cancel_after: text(run.cancel_after),
      repeats: text(run.repeats),
      logits: run.logits,
    })),
    batch: {
      on: batch !== null,
      prompts: (batch?.prompts ?? suite.batch_sweep?.prompts ?? []).join('\n'),
      batch_sizes: (batch?.batch_sizes ?? suite.batch_sweep?.batch_sizes ?? []).join(', '),
      max_new_tokens: text(batch?.max_new_tokens ?? 24),
    },
    prefix: {
      on: prefix !== null,
      prefix: prefix?.prefix ?? suite.prefix_reuse?.prefix ?? '',
      suffix: prefix?.suffix ?? suite.prefix_reuse?.suffix ?? '',
    },
  };
}

/** What was typed as a number, or as it stands if it is none: the schema then says so. Nothing at all is null. */
function number(text: string): number | string | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  return /^-?\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : trimmed;
}

/** The plan that the form describes, to be checked. */
export function planOfForm(form: PlanForm): unknown {
  return {
    name: form.name,
    threads: number(form.threads),
    device: form.device,
    warmup: form.warmup.on ? { prompt: form.warmup.prompt, max_new_tokens: number(form.warmup.max_new_tokens) } : null,
    runs: form.runs.map((run) => ({
      name: run.name,
      prompt: run.prompt,
      max_new_tokens: number(run.max_new_tokens),
      use_cache: run.use_cache,
      chunk_size: number(run.chunk_size),
      cancel_after: number(run.cancel_after),
      repeats: number(run.repeats),
      logits: run.logits,
    })),
    batch_sweep: form.batch.on
      ? {
          prompts: form.batch.prompts.split('\n').filter((line) => line.trim() !== ''),
          batch_sizes: form.batch.batch_sizes
            .split(/[\s,;]+/)
            .filter((part) => part !== '')
            .map(number),
          max_new_tokens: number(form.batch.max_new_tokens),
        }
      : null,
    prefix_reuse: form.prefix.on ? { prefix: form.prefix.prefix, suffix: form.prefix.suffix } : null,
  };
}

/** What is wrong, by place: `runs.0.prompt`. */
export type FormProblems = ReadonlyMap<string, string>;

export type CheckedForm = { ok: true; plan: PlanInput; problems: FormProblems } | { ok: false; problems: FormProblems };

export function checkForm(form: PlanForm): CheckedForm {
  const parsed = planSchema.safeParse(planOfForm(form));
  if (parsed.success) return { ok: true, plan: parsed.data, problems: new Map() };
  const problems = new Map<string, string>();
  for (const issue of parsed.error.issues) {
    const place = issue.path.map(String).join('.');
    if (!problems.has(place)) problems.set(place, issue.message);
  }
  return { ok: false, problems };
}

/** The first problem at a place or below it. */
export function problemAt(problems: FormProblems, place: string): string | undefined {
  const exact = problems.get(place);
  if (exact !== undefined) return exact;
  for (const [path, message] of problems) if (path.startsWith(`${place}.`)) return message;
  return undefined;
}

/** A copy of a run under a name that is free. */
export function copyOfRun(run: RunForm, taken: readonly string[]): RunForm {
  let number = 2;
  while (taken.includes(`${run.name}_${number}`)) number += 1;
  return { ...run, key: newKey(), name: `${run.name}_${number}` };
}

/** A plan as the text of a file. */
export function planText(plan: PlanInput): string {
  return `${JSON.stringify(plan, null, 2)}\n`;
}

/** A plan from text, or what is wrong with it in words. */
export function readPlanText(text: string): { ok: true; form: PlanForm } | { ok: false; problems: string[] } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { ok: false, problems: [`This is not JSON: ${error instanceof Error ? error.message : 'unknown error'}`] };
  }
  const parsed = planSchema.safeParse(value);
  if (parsed.success) return { ok: true, form: formOfPlan(parsed.data) };
  const problems = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`,
  );
  return { ok: false, problems: problems.slice(0, 20) };
}
