import { readFile, stat } from 'node:fs/promises';
import { messageOf, TokenscopeError } from '../shared/errors.ts';
import { type Plan, planSchema } from '../shared/plan.ts';

/** Plans are written by hand or by a script; prompts of many megabytes are a mistake. */
const MOST_PLAN_BYTES = 16 << 20;

/** Reads a plan file. Throws a `plan` error with the place in the plan, or a `file` error. */
export async function readPlan(path: string): Promise<Plan> {
  const kind = await stat(path).catch((cause: unknown) => {
    throw new TokenscopeError('file', messageOf(cause), { path, cause });
  });
  if (!kind.isFile()) throw new TokenscopeError('file', 'is not a file', { path });
  if (kind.size > MOST_PLAN_BYTES) {
    throw new TokenscopeError('plan', `is ${kind.size} bytes, a plan may have ${MOST_PLAN_BYTES}`, { path });
  }
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    throw new TokenscopeError('plan', `is not JSON: ${messageOf(cause)}`, { path, cause });
  }
  const parsed = planSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const place = (issue?.path ?? [])
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('');
  throw new TokenscopeError('plan', `${place.replace(/^\./, '')}: ${issue?.message ?? 'unknown form'}`, { path });
}
