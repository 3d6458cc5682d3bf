import { messageOf, TokenscopeError } from '../../shared/errors.ts';
import type { RunEvent, Step, Stream } from '../../shared/messages.ts';
import type { Plan } from '../../shared/plan.ts';
import { checkContext, checkRequest, type DecodeRequest } from '../../shared/request.ts';
import { runBatch } from './batch.ts';
import { type LoadedModel, runRequest } from './decoder.ts';
import { runPrefixReuse } from './prefix-reuse.ts';
import { TokenStream } from './token-stream.ts';

/**
 * Runs a plan from its first step to its last and tells what happens. Whatever cannot be run for its arguments is
 * refused before the first step. A step that only this model cannot run (a padded batch, say) is skipped with its reason.
 */
export async function runPlan(
  model: LoadedModel,
  plan: Plan,
  stream: Stream,
  emit: (event: RunEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  checkPlan(model, plan);
  const steps = planSteps(plan);
  for (const [index, step] of steps.entries()) {
    if (signal.aborted) break;
    emit({ type: 'step', step, index, count: steps.length });
    await runStep(model, plan, step, stream, emit, signal);
  }
  emit({ type: 'finished', status: signal.aborted ? 'cancelled' : 'complete' });
}

/** Every step of a plan, in the order they run. */
export function planSteps(plan: Plan): Step[] {
  const steps: Step[] = [];
  if (plan.warmup !== null) steps.push({ kind: 'warmup' });
  plan.runs.forEach((run, index) => {
    for (let sample = 0; sample < run.repeats; sample++) {
      steps.push({ kind: 'run', run: index, name: run.name, sample, of: run.repeats });
    }
  });
  for (const size of plan.batch_sweep?.batch_sizes ?? []) steps.push({ kind: 'batch', batch_size: size });
  if (plan.prefix_reuse !== null) steps.push({ kind: 'prefix_reuse' });
  return steps;
}

async function runStep(
  model: LoadedModel,
  plan: Plan,
  step: Step,
  stream: Stream,
  emit: (event: RunEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  switch (step.kind) {
    case 'warmup':
      if (plan.warmup !== null) await streamRequest(model, warmupRequest(plan.warmup), stream, emit, signal);
      return;
    case 'run': {
      const run = plan.runs[step.run];
      if (run !== undefined) await streamRequest(model, run, stream, emit, signal);
      return;
    }
    case 'batch': {
      const sweep = plan.batch_sweep;
      if (sweep === null) return;
      const prompts = Array.from(
        { length: step.batch_size },
        (_, row) => sweep.prompts[row % sweep.prompts.length] ?? '',
      );
      try {
        const result = await runBatch(model, prompts, sweep.max_new_tokens, signal);
        if (result.kind === 'batch') emit({ type: 'batch', batch: result.batch });
      } catch (error) {
        if (!(error instanceof TokenscopeError) || error.code !== 'model') throw error;
        emit({ type: 'skipped', reason: messageOf(error) });
      }
      return;
    }
    case 'prefix_reuse':
      if (plan.prefix_reuse === null) return;
      emit({
        type: 'prefix_reuse',
        prefix_reuse: await runPrefixReuse(model, plan.prefix_reuse.prefix, plan.prefix_reuse.suffix),
      });
      return;
  }
}

async function streamRequest(
  model: LoadedModel,
  request: DecodeRequest,
  stream: Stream,
  emit: (event: RunEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const tokens = new TokenStream(stream, model.clock, (ids) => model.tokenizer.decode(ids), emit);
  const result = await runRequest(model, request, {
    onPrompt: (promptTokens, tokenizationMs) => tokens.prompt(promptTokens, tokenizationMs),
    onToken: (id, atMs) => tokens.add(id, atMs),
    signal,
  });
  tokens.flush();
  if (result.kind === 'sample') emit({ type: 'sample', sample: result.sample });
}

function warmupRequest(warmup: NonNullable<Plan['warmup']>): DecodeRequest {
  return {
    prompt: warmup.prompt,
    max_new_tokens: warmup.max_new_tokens,
    use_cache: true,
    chunk_size: null,
    cancel_after: null,
    logits: 'last',
  };
}

/** Refuses a plan with any request that cannot be run, naming the step: nothing is measured before all of it can be. */
function checkPlan(model: LoadedModel, plan: Plan): void {
  const check = (path: string, request: DecodeRequest) => {
    try {
      checkRequest(request);
      const room = (model.contextTokens ?? Number.POSITIVE_INFINITY) - request.max_new_tokens;
      if (model.tokenizer.mostTokens(request.prompt) <= room) return;
      checkContext(model.tokenizer.encodePrompt(request.prompt).length, request.max_new_tokens, model.contextTokens);
    } catch (error) {
      if (!(error instanceof TokenscopeError)) throw error;
      throw new TokenscopeError(error.code, error.message, {
        path: error.path === undefined ? path : `${path}.${error.path}`,
        ...(error.remedy === undefined ? {} : { remedy: error.remedy }),
      });
    }
  };
  if (plan.warmup !== null) check('warmup', warmupRequest(plan.warmup));
  plan.runs.forEach((run, index) => check(`runs[${index}]`, run));
  plan.batch_sweep?.prompts.forEach((prompt, index) =>
    check(
      `batch_sweep.prompts[${index}]`,
      warmupRequest({ prompt, max_new_tokens: plan.batch_sweep?.max_new_tokens ?? 1 }),
    ),
  );
  if (plan.prefix_reuse !== null) {
    const { prefix, suffix } = plan.prefix_reuse;
    check('prefix_reuse', warmupRequest({ prompt: prefix + suffix, max_new_tokens: 1 }));
  }
}
