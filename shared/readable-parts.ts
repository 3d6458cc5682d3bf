import type { z } from 'zod';
import type { PathStep } from './problem.ts';
import {
  type Batch,
  type Environment,
  type Generation,
  type ModelInfo,
  type PrefixReuse,
  type Run,
  type Sample,
  batchSchema,
  environmentSchema,
  generationSchema,
  modelInfoSchema,
  prefixReuseSchema,
  runSchema,
  sampleSchema,
} from './record.ts';
import { checkSchema } from './schema-check.ts';

/** What can be shown of a file that was refused: the sections that pass their own schema. */
export interface ReadableParts {
  /** The file's JSON, whatever it is. */
  readonly value: unknown;
  readonly model: ModelInfo | null;
  readonly generation: Generation | null;
  readonly environment: Environment | null;
  readonly warmup: Sample | null;
  /** `index` is the place in the file's own list. */
  readonly runs: readonly { readonly index: number; readonly run: Run }[];
  readonly batches: readonly { readonly index: number; readonly batch: Batch }[];
  readonly prefixReuse: PrefixReuse | null;
}

/** How many items of a list are looked at in a refused file: enough to show, whatever its size. */
const MAX_ITEMS = 1000;

export function readableParts(value: unknown): ReadableParts {
  return {
    value,
    model: section(modelInfoSchema, value, 'model'),
    generation: section(generationSchema, value, 'generation'),
    environment: section(environmentSchema, value, 'environment'),
    warmup: section(sampleSchema, value, 'warmup'),
    runs: items(runSchema, value, 'runs').map(({ index, item }) => ({ index, run: item })),
    batches: items(batchSchema, value, 'batch_sweep').map(({ index, item }) => ({ index, batch: item })),
    prefixReuse: section(prefixReuseSchema, value, 'prefix_reuse'),
  };
}

function field(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const found: unknown = Object.getOwnPropertyDescriptor(value, key)?.value;
  return found;
}

function accepted<T>(schema: z.ZodType<T>, value: unknown, path: PathStep[]): { item: T } | null {
  const result = checkSchema(schema, value, path, 1);
  return result.ok ? { item: result.value } : null;
}

function section<T>(schema: z.ZodType<T>, value: unknown, key: string): T | null {
  return accepted(schema, field(value, key), [key])?.item ?? null;
}

function items<T>(schema: z.ZodType<T>, value: unknown, key: string): { index: number; item: T }[] {
  const list: unknown = field(value, key);
  if (!Array.isArray(list)) return [];
  return list.slice(0, MAX_ITEMS).flatMap((entry: unknown, index) => {
    const found = accepted(schema, entry, [key, index]);
    return found === null ? [] : [{ index, item: found.item }];
  });
}
