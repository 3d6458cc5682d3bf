import { z } from 'zod';
import { ERROR_CODES, messageOf, TokenscopeError } from './errors.ts';
import { modelFolderSchema } from './model-folder.ts';
import { deviceChoiceSchema, planSchema } from './plan.ts';
import {
  batchSchema,
  environmentSchema,
  loadSchema,
  modelInfoSchema,
  prefixReuseSchema,
  sampleSchema,
} from './record.ts';

/** Every message between the main process and the inference worker. Each is parsed where it arrives. */

/** What a plan is made of, one at a time. */
export const stepSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('warmup') }),
  /** `run` and `sample` count from 0, `of` is the number of samples of the run. */
  z.object({ kind: z.literal('run'), run: z.int(), name: z.string(), sample: z.int(), of: z.int() }),
  z.object({ kind: z.literal('batch'), batch_size: z.int() }),
  z.object({ kind: z.literal('prefix_reuse') }),
]);
export type Step = z.infer<typeof stepSchema>;

/** How a request's tokens are told while it runs: at most one message per `every_ms`, with or without their text. */
export const streamSchema = z.object({ every_ms: z.number().nonnegative(), texts: z.boolean() });
export type Stream = z.infer<typeof streamSchema>;

export const synthesizeRequestSchema = z.object({
  preset: z.string().nullable(),
  /** Path of a config.json to take the shape from, instead of a preset. */
  config: z.string().nullable(),
  out: z.string(),
  seed: z.int(),
  force: z.boolean(),
  /** Folder whose tokenizer the synthesized one is built on. */
  tokenizer_from: z.string(),
});
export type SynthesizeRequest = z.infer<typeof synthesizeRequestSchema>;

export const toWorkerSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('load'),
    folder: modelFolderSchema,
    threads: z.int().positive().nullable(),
    device: deviceChoiceSchema,
  }),
  z.object({ type: z.literal('run'), plan: planSchema, stream: streamSchema }),
  z.object({ type: z.literal('synthesize'), request: synthesizeRequestSchema }),
  /** Ends the run at the next token or chunk, or the synthesis at the next block. */
  z.object({ type: z.literal('cancel') }),
  z.object({ type: z.literal('quit') }),
]);
export type ToWorker = z.infer<typeof toWorkerSchema>;

export const headerSchema = z.object({
  environment: environmentSchema,
  model: modelInfoSchema,
  load: loadSchema,
  source_sha256: z.string(),
});
/** What a record says of the machine and the model before any request ran. */
export type RecordHeader = z.infer<typeof headerSchema>;

/** What happens in a run, in order. The record can be put together from these alone. */
export const runEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('step'), step: stepSchema, index: z.int(), count: z.int() }),
  z.object({ type: z.literal('prompt'), prompt_tokens: z.int(), tokenization_ms: z.number() }),
  /** Tokens of the current step, from token `first` on; times count from the start of their request. */
  z.object({
    type: z.literal('tokens'),
    first: z.int(),
    ids: z.array(z.int()),
    at_ms: z.array(z.number()),
    texts: z.array(z.string()).nullable(),
  }),
  z.object({ type: z.literal('sample'), sample: sampleSchema }),
  z.object({ type: z.literal('batch'), batch: batchSchema }),
  z.object({ type: z.literal('prefix_reuse'), prefix_reuse: prefixReuseSchema }),
  /** A step that this model cannot run, and why; the rest of the plan goes on. */
  z.object({ type: z.literal('skipped'), reason: z.string() }),
  z.object({ type: z.literal('finished'), status: z.enum(['complete', 'cancelled']) }),
]);
export type RunEvent = z.infer<typeof runEventSchema>;

export const errorSchema = z.object({
  code: z.enum(ERROR_CODES),
  message: z.string(),
  path: z.string().nullable(),
  remedy: z.string().nullable(),
});
export type ErrorMessage = z.infer<typeof errorSchema>;

export const fromWorkerSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('loading'), stage: z.enum(['tokenizer', 'model']) }),
  z.object({ type: z.literal('loaded'), header: headerSchema }),
  z.object({ type: z.literal('run_event'), event: runEventSchema }),
  z.object({ type: z.literal('synthesizing'), done_bytes: z.number(), total_bytes: z.number() }),
  z.object({ type: z.literal('synthesized'), directory: z.string(), parameters: z.int(), bytes: z.int() }),
  z.object({ type: z.literal('cancelled') }),
  z.object({ type: z.literal('failed'), error: errorSchema }),
]);
export type FromWorker = z.infer<typeof fromWorkerSchema>;

/** An error as it crosses a process: its words only. */
export function errorToMessage(error: unknown): ErrorMessage {
  if (error instanceof TokenscopeError) {
    return { code: error.code, message: error.message, path: error.path ?? null, remedy: error.remedy ?? null };
  }
  return { code: 'worker', message: messageOf(error), path: null, remedy: null };
}

export function errorFromMessage(error: ErrorMessage): TokenscopeError {
  return new TokenscopeError(error.code, error.message, {
    ...(error.path === null ? {} : { path: error.path }),
    ...(error.remedy === null ? {} : { remedy: error.remedy }),
  });
}

/** Parses a message of another process; a bad one is an error with a name, never a crash. */
export function parseMessage<T>(schema: z.ZodType<T>, message: unknown, from: string): T {
  const parsed = schema.safeParse(message);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new TokenscopeError('message', `a message from ${from} does not fit: ${issue?.message ?? 'unknown form'}`, {
    path: issue?.path.join('.') ?? '',
  });
}
