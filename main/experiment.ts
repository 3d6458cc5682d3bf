import { messageOf } from '../shared/errors.ts';
import type { FromWorker, RunEvent, Stream } from '../shared/messages.ts';
import type { ModelFolder } from '../shared/model-folder.ts';
import type { Plan } from '../shared/plan.ts';
import type { TraceRecord } from '../shared/record.ts';
import { applyEvent, draftToRecord, type Ending, type RecordDraft, startDraft } from '../shared/record-draft.ts';
import { checkLoaded, rewrittenSince } from './model-changes.ts';
import type { WorkerProcess } from './worker-process.ts';

export interface ExperimentOptions {
  stream: Stream;
  /** ISO date that the record carries. */
  createdAt: string;
  onLoading?: (stage: 'tokenizer' | 'model') => void;
  /** The model is loaded: the draft is empty and grows by every event, before `onEvent` is told of it. */
  onDraft?: (draft: RecordDraft) => void;
  onEvent?: (event: RunEvent) => void;
  /** Ends the run at the next token; what was measured until then is kept. */
  signal?: AbortSignal;
}

/** How an experiment ended, and the record of all that was measured until then. */
export interface ExperimentResult {
  ending: Ending;
  record: TraceRecord;
}

/**
 * Loads a model in a worker and runs a plan there. Throws if the model cannot be loaded, since there is nothing to keep
 * then; from the first step on every end has a record: complete, cancelled, or failed with its reason.
 */
export async function runExperiment(
  worker: WorkerProcess,
  folder: ModelFolder,
  plan: Plan,
  options: ExperimentOptions,
): Promise<ExperimentResult> {
  worker.post({ type: 'load', folder, threads: plan.threads, device: plan.device });
  const { header } = await worker.until(isLoaded, (message) => {
    if (message.type === 'loading') options.onLoading?.(message.stage);
  });
  await checkLoaded(folder);
  const draft = startDraft(plan, header, options.createdAt);
  options.onDraft?.(draft);
  const end = (ending: Ending): ExperimentResult => ({ ending, record: draftToRecord(draft, ending) });
  if (options.signal?.aborted === true) return end({ status: 'cancelled', reason: 'cancelled before the first step' });

  const cancel = () => worker.post({ type: 'cancel' });
  options.signal?.addEventListener('abort', cancel);
  let started = false;
  try {
    worker.post({ type: 'run', plan, stream: options.stream });
    const { event } = await worker.until(isFinished, (message) => {
      if (message.type !== 'run_event') return;
      started = true;
      applyEvent(draft, message.event);
      options.onEvent?.(message.event);
    });
    const rewritten = await rewrittenSince(folder);
    if (rewritten !== undefined) return end({ status: 'failed', reason: rewritten });
    return end(
      event.status === 'complete' ? { status: 'complete' } : { status: 'cancelled', reason: 'cancelled by request' },
    );
  } catch (error) {
    // A plan that is refused has measured nothing; a run that breaks off has.
    if (!started) throw error;
    // A file that was cut short under the runtime ends its process: the cause is worth more than the signal's name.
    const rewritten = await rewrittenSince(folder);
    return end({ status: 'failed', reason: [messageOf(error), rewritten].filter(Boolean).join('; ') });
  } finally {
    options.signal?.removeEventListener('abort', cancel);
  }
}

function isLoaded(message: FromWorker): message is Extract<FromWorker, { type: 'loaded' }> {
  return message.type === 'loaded';
}

type Finished = Extract<FromWorker, { type: 'run_event' }> & { event: Extract<RunEvent, { type: 'finished' }> };

function isFinished(message: FromWorker): message is Finished {
  return message.type === 'run_event' && message.event.type === 'finished';
}
