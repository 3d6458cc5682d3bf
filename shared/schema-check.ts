import { z } from 'zod';
import { type PathStep, type Problem, formatPath, quoted } from './problem.ts';
import { TIMING_REASON } from './record.ts';

/**
 * Checks a value against a zod schema by walking both, instead of schema.parse: the value itself is kept (its field
 * order, its unknown fields, no second copy of a file of 200 MB), and the walk ends after a given number of problems
 * (zod gathers one object for each of forty million bad items). Objects, lists, optional and nullable are walked here;
 * every other schema is a leaf and zod's own work (so a
 * refinement of an object as a whole would not be seen: a test holds this walk and schema.parse to the same verdicts).
 */

export const SCHEMA_REASONS = {
  missing: 'A required field is missing',
  type: 'The value has the wrong type',
  value: 'The value is not allowed',
} as const;

export type SchemaResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly [Problem, ...Problem[]] };

export function checkSchema<T>(
  schema: z.ZodType<T>,
  value: unknown,
  path: readonly PathStep[] = [],
  maxProblems = 100,
): SchemaResult<T> {
  const walk = new Walk(maxProblems);
  walk.check(planOf(schema), value, [...path]);
  const fits = (_value: unknown): _value is T => walk.problems.length === 0;
  if (fits(value)) return { ok: true, value };
  const [first, ...others] = walk.problems;
  if (first === undefined) throw new Error('A schema check that failed must name a problem');
  return { ok: false, problems: [first, ...others] };
}

/** What to do with a value: a schema taken apart once, as asking zod's classes costs more than the check itself. */
type Plan =
  | { readonly kind: 'object'; readonly schema: z.core.$ZodType; readonly fields: readonly (readonly [string, Plan])[] }
  | { readonly kind: 'list'; readonly schema: z.core.$ZodType; readonly element: Plan }
  | { readonly kind: 'optional' | 'nullable'; readonly inner: Plan }
  | { readonly kind: 'leaf'; readonly schema: z.core.$ZodType };

const plans = new WeakMap<z.core.$ZodType, Plan>();

function planOf(schema: z.core.$ZodType): Plan {
  const known = plans.get(schema);
  if (known !== undefined) return known;
  const plan = makePlan(schema);
  plans.set(schema, plan);
  return plan;
}

function makePlan(schema: z.core.$ZodType): Plan {
  if (schema instanceof z.ZodOptional) return { kind: 'optional', inner: planOf(schema.unwrap()) };
  if (schema instanceof z.ZodNullable) return { kind: 'nullable', inner: planOf(schema.unwrap()) };
  if (schema instanceof z.ZodArray) return { kind: 'list', schema, element: planOf(schema.element) };
  if (schema instanceof z.ZodObject) {
    const shape: { readonly [field: string]: z.core.$ZodType } = schema.shape;
    return { kind: 'object', schema, fields: Object.entries(shape).map(([key, field]) => [key, planOf(field)]) };
  }
  return { kind: 'leaf', schema };
}

class Walk {
  readonly problems: Problem[] = [];
  private readonly max: number;

  constructor(max: number) {
    this.max = max;
  }

  /** `path` is one array for the whole walk: a step is pushed before and popped after each part. */
  check(plan: Plan, value: unknown, path: PathStep[]): void {
    switch (plan.kind) {
      case 'optional':
        if (value !== undefined) this.check(plan.inner, value, path);
        break;
      case 'nullable':
        if (value !== null) this.check(plan.inner, value, path);
        break;
      case 'list':
        if (Array.isArray(value)) this.list(plan.element, value, path);
        else this.leaf(plan.schema, value, path);
        break;
      case 'object':
        if (isPlainObject(value)) this.object(plan.fields, value, path);
        else this.leaf(plan.schema, value, path);
        break;
      case 'leaf':
        this.leaf(plan.schema, value, path);
        break;
    }
  }

  private list(element: Plan, values: readonly unknown[], path: PathStep[]): void {
    path.push(0);
    for (let index = 0; index < values.length && this.problems.length < this.max; index += 1) {
      path[path.length - 1] = index;
      this.check(element, values[index], path);
    }
    path.pop();
  }

  private object(fields: readonly (readonly [string, Plan])[], value: PlainObject, path: PathStep[]): void {
    for (const [key, plan] of fields) {
      path.push(key);
      // Only the file's own fields: an inherited "constructor" is none.
      this.check(plan, Object.hasOwn(value, key) ? value[key] : undefined, path);
      path.pop();
    }
  }

  private leaf(schema: z.core.$ZodType, value: unknown, path: PathStep[]): void {
    const result = z.safeParse(schema, value);
    if (result.success) return;
    for (const issue of result.error.issues) {
      if (this.problems.length >= this.max) return;
      this.problems.push({ path: formatPath([...path, ...issue.path.map(asStep)]), ...explain(issue, value) });
    }
  }
}

interface PlainObject {
  readonly [key: string]: unknown;
}

function asStep(step: PropertyKey): PathStep {
  return typeof step === 'symbol' ? step.toString() : step;
}

function isPlainObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A problem in plain words, in place of zod's. */
function explain(issue: z.core.$ZodIssue, value: unknown): { reason: string; figures?: string } {
  const found = describe(value);
  if (issue.message === TIMING_REASON) return { reason: TIMING_REASON, figures: `found ${found}` };
  if (value === undefined) return { reason: SCHEMA_REASONS.missing };
  return {
    reason: issue.code === 'invalid_type' ? SCHEMA_REASONS.type : SCHEMA_REASONS.value,
    figures: `found ${found}, ${expected(issue)}`,
  };
}

function expected(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `${TYPE_NAMES[issue.expected] ?? issue.expected} is expected`;
  if (issue.code === 'too_small') {
    return `${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum} is expected`;
  }
  if (issue.code === 'too_big')
    return `${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum} is expected`;
  if (issue.code === 'invalid_value') return `one of ${issue.values.join(', ')} is expected`;
  return issue.message;
}

const TYPE_NAMES: { readonly [type: string]: string | undefined } = {
  int: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return `the text ${quoted(value)}`;
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return `${value}`;
  return 'an object';
}
