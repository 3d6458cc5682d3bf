import { errorToMessage, type FromWorker, parseMessage, type ToWorker, toWorkerSchema } from '../../shared/messages.ts';
import { TokenscopeError } from '../../shared/errors.ts';
import { openParentPort } from '../../shared/parent-port.ts';
import type { RecordHeader } from '../../shared/messages.ts';
import type { LoadedModel } from './decoder.ts';

/**
 * The inference process: loads one model, keeps it warm, runs one job at a time. Everything heavy is imported when first
 * needed, so that the process answers at once.
 */
const port = openParentPort(process);
const post = (message: FromWorker) => port.post(message);

interface Loaded {
  /** What was asked for; the same again needs no second load. */
  key: string;
  model: LoadedModel;
  header: RecordHeader;
}
let loaded: Loaded | undefined;
/** The job that is going on, and its end. */
let job: { stop: AbortController; ended: Promise<void> } | undefined;

async function handle(message: ToWorker): Promise<void> {
  switch (message.type) {
    case 'load':
      return exclusively(() => load(message));
    case 'run':
      return exclusively((signal) => run(message, signal));
    case 'synthesize':
      return exclusively((signal) => synthesizeModel(message, signal));
    case 'cancel':
      job?.stop.abort();
      return;
    case 'quit':
      job?.stop.abort();
      // A session must not be released under a pass that is about to start.
      await job?.ended;
      await loaded?.model.session.release();
      port.close();
      process.exit(0);
  }
}

async function exclusively(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  if (job !== undefined) throw new TokenscopeError('worker', 'another job is still running');
  const stop = new AbortController();
  const running = work(stop.signal);
  job = { stop, ended: running.catch(() => undefined) };
  try {
    await running;
  } finally {
    job = undefined;
  }
}

async function load(message: Extract<ToWorker, { type: 'load' }>): Promise<void> {
  const key = JSON.stringify([message.folder, message.threads, message.device]);
  if (loaded?.key !== key) {
    await loaded?.model.session.release();
    loaded = undefined;
    const { loadModel } = await import('./load-model.ts');
    loaded = {
      key,
      ...(await loadModel(message.folder, message, (stage) => post({ type: 'loading', stage }))),
    };
    post({ type: 'loaded', header: loaded.header });
    return;
  }
  post({ type: 'loaded', header: { ...loaded.header, load: { ...loaded.header.load, reused: true } } });
}

async function run(message: Extract<ToWorker, { type: 'run' }>, signal: AbortSignal): Promise<void> {
  if (loaded === undefined) throw new TokenscopeError('worker', 'no model is loaded');
  const { runPlan } = await import('./experiments.ts');
  await runPlan(loaded.model, message.plan, message.stream, (event) => post({ type: 'run_event', event }), signal);
}

async function synthesizeModel(message: Extract<ToWorker, { type: 'synthesize' }>, signal: AbortSignal): Promise<void> {
  const { synthesize } = await import('./synthesize.ts');
  const result = await synthesize(message.request, {
    signal,
    onProgress: (doneBytes, totalBytes) =>
      post({ type: 'synthesizing', done_bytes: doneBytes, total_bytes: totalBytes }),
  });
  post(result === undefined ? { type: 'cancelled' } : { type: 'synthesized', ...result });
}

port.onMessage((message) => {
  void Promise.resolve()
    .then(() => handle(parseMessage(toWorkerSchema, message, 'the main process')))
    .catch((error: unknown) => post({ type: 'failed', error: errorToMessage(error) }));
});
// A terminal sends Ctrl-C to every process in it: the parent decides what it means.
process.on('SIGINT', () => undefined);
post({ type: 'ready' });
