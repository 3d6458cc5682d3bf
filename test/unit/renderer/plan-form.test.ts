import { expect, test } from 'vitest';
import {
  checkForm,
  copyOfRun,
  formOfPlan,
  planText,
  problemAt,
  readPlanText,
} from '../../../renderer/setup/plan-form.ts';
import { planSchema } from '../../../shared/plan.ts';
import { STANDARD_SUITE } from '../../../shared/standard-suite.ts';

test('a form says what the plan says', () => {
  const checked = checkForm(formOfPlan(STANDARD_SUITE));
  expect(checked.ok && checked.plan).toEqual(planSchema.parse(STANDARD_SUITE));
});

test('every field of a plan survives the form', () => {
  const plan = planSchema.parse({
    name: 'all',
    threads: 3,
    device: 'auto',
    warmup: null,
    runs: [
      {
        name: 'r',
        prompt: 'p',
        max_new_tokens: 9,
        use_cache: true,
        chunk_size: 4,
        cancel_after: 2,
        repeats: 7,
        logits: 'all',
      },
    ],
    batch_sweep: { prompts: ['a', 'b'], batch_sizes: [1, 3], max_new_tokens: 5 },
    prefix_reuse: { prefix: 'x', suffix: 'y' },
  });
  const checked = checkForm(formOfPlan(plan));
  expect(checked.ok && checked.plan).toEqual(plan);
});

test('numbers that are none are explained at their place', () => {
  const form = formOfPlan(STANDARD_SUITE);
  form.runs[1]!.max_new_tokens = 'many';
  form.runs[2]!.repeats = '';
  form.runs[3]!.chunk_size = '1.5';
  form.threads = '0';
  form.batch.batch_sizes = '1, two';
  const { problems } = checkForm(form);
  expect(problems.get('runs.1.max_new_tokens')).toBe('max_new_tokens must be a whole number');
  expect(problems.get('runs.2.repeats')).toBe('repeats must be a whole number');
  expect(problems.get('runs.3.chunk_size')).toBe('chunk_size must be a whole number');
  expect(problems.get('threads')).toBe('threads must be at least 1');
  expect(problemAt(problems, 'batch_sweep.batch_sizes')).toBe('batch_sizes must be a whole number');
  expect(problemAt(problems, 'runs.0')).toBeUndefined();
});

test('what is switched off is not checked and not run', () => {
  const form = formOfPlan(STANDARD_SUITE);
  form.warmup = { on: false, prompt: '', max_new_tokens: 'x' };
  form.batch = { on: false, prompts: '', batch_sizes: 'x', max_new_tokens: 'x' };
  form.prefix = { on: false, prefix: '', suffix: '' };
  const checked = checkForm(form);
  expect(checked.ok && [checked.plan.warmup, checked.plan.batch_sweep, checked.plan.prefix_reuse]).toEqual([
    null,
    null,
    null,
  ]);
});

test('a copy gets a name that is free', () => {
  const [run] = formOfPlan(STANDARD_SUITE).runs;
  expect(copyOfRun(run!, ['short_cached', 'short_cached_2']).name).toBe('short_cached_3');
  expect(copyOfRun(run!, []).key).not.toBe(run!.key);
});

test('text comes back as the same form, and says what is wrong with it', () => {
  const read = readPlanText(planText(planSchema.parse(STANDARD_SUITE)));
  expect(read.ok && checkForm(read.form).ok).toBe(true);
  expect(readPlanText('{')).toMatchObject({ ok: false, problems: [expect.stringContaining('This is not JSON')] });
  expect(readPlanText('{"runs": []}')).toEqual({ ok: false, problems: ['runs: runs must name at least one run'] });
});
