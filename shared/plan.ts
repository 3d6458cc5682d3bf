import { z } from 'zod';
import { logitsModeSchema } from './record.ts';

/** What a session can run on, by onnxruntime's names. */
export const DEVICES = ['cpu', 'webgpu', 'cuda', 'coreml', 'dml'] as const;
export type Device = (typeof DEVICES)[number];
/** `auto`: the first graphics device that loads the model, else the processor. */
export const DEVICE_CHOICES = [...DEVICES, 'auto'] as const;
export const deviceChoiceSchema = z.enum(DEVICE_CHOICES, {
  error: `device must be one of ${DEVICE_CHOICES.join(', ')}`,
});
export type DeviceChoice = z.infer<typeof deviceChoiceSchema>;

/** The version of the plan format. A newer plan is refused by the schema. */
export const PLAN_VERSION = 1;

const prompt = z.string().refine((text) => text.trim().length > 0, { error: 'prompt must not be empty' });
const positive = (name: string) =>
  z.int({ error: `${name} must be a whole number` }).min(1, { error: `${name} must be at least 1` });

/** One named run: the same request, repeated. Absent fields take the defaults of the reference lab. */
export const plannedRunSchema = z
  .strictObject({
    name: z.string().min(1, { error: 'name must not be empty' }).max(200),
    prompt,
    /** Output cap in tokens. */
    max_new_tokens: positive('max_new_tokens').default(24),
    /** Keep the KV cache between steps, or evaluate the whole context again for each token. */
    use_cache: z.boolean().default(true),
    /** Evaluate the prompt in chunks of this many tokens; null for all at once. */
    chunk_size: positive('chunk_size').nullable().default(null),
    /** Stop by request after this many tokens; null to run to the cap or the end of text. */
    cancel_after: positive('cancel_after').nullable().default(null),
    repeats: positive('repeats').max(1000).default(3),
    logits: logitsModeSchema.default('last'),
  })
  .refine((run) => run.chunk_size === null || run.use_cache, {
    path: ['chunk_size'],
    error: 'chunk_size needs use_cache: without a cache there is nothing to carry from chunk to chunk',
  });
export type PlannedRun = z.infer<typeof plannedRunSchema>;

export const planSchema = z
  .strictObject({
    plan_version: z.literal(PLAN_VERSION, { error: `plan_version must be ${PLAN_VERSION}` }).default(PLAN_VERSION),
    name: z.string().min(1).max(200).default('experiment'),
    /** Threads of the runtime; null for one per physical core that the runtime finds. */
    threads: positive('threads').max(256).nullable().default(null),
    /** A device that this machine's runtime does not have is refused before anything runs. */
    device: deviceChoiceSchema.default('cpu'),
    /** The first request after loading: its figures are kept, apart from the runs. Null to go without. */
    warmup: z
      .strictObject({ prompt, max_new_tokens: positive('max_new_tokens').default(4) })
      .nullable()
      .default({ prompt: 'Explain a cache in one sentence.', max_new_tokens: 4 }),
    runs: z.array(plannedRunSchema).min(1, { error: 'runs must name at least one run' }).max(1000),
    batch_sweep: z
      .strictObject({
        /** Rows are filled with these prompts in turn. */
        prompts: z.array(prompt).min(1),
        batch_sizes: z.array(positive('batch_sizes').max(256)).min(1),
        max_new_tokens: positive('max_new_tokens').default(24),
      })
      .nullable()
      .default(null),
    prefix_reuse: z.strictObject({ prefix: prompt, suffix: z.string() }).nullable().default(null),
  })
  .superRefine((plan, context) => {
    const seen = new Map<string, number>();
    plan.runs.forEach((run, index) => {
      const first = seen.get(run.name);
      if (first !== undefined) {
        context.addIssue({
          code: 'custom',
          path: ['runs', index, 'name'],
          message: `two runs share the name "${run.name}" (runs[${first}])`,
        });
      }
      seen.set(run.name, index);
    });
  });
/** A plan with every default filled in. */
export type Plan = z.infer<typeof planSchema>;
/** A plan as a person writes it. */
export type PlanInput = z.input<typeof planSchema>;
