import { messageOf } from '../../shared/errors.ts';
import { type DeviceChoice, type Plan, planSchema } from '../../shared/plan.ts';
import { STANDARD_SUITE } from '../../shared/standard-suite.ts';
import { defaultDataDirectory } from '../data-directory.ts';
import { runExperiment } from '../experiment.ts';
import { hashCacheIn } from '../hash-cache.ts';
import { findModel } from '../model-folder.ts';
import { readPlan } from '../plan-file.ts';
import { writeRecordFile } from '../record-files.ts';
import { forkNodeWorker, startWorker } from '../worker-process.ts';
import { summaryTable } from './analyze.ts';
import { EXIT, type Io } from './io.ts';
import { runProgress } from './progress.ts';
import { refuseExisting } from './refuse-existing.ts';

/** The command line counts tokens only now and then, so that watching costs the run as good as nothing. */
const STREAM = { every_ms: 100, texts: false };

export interface RunOptions {
  model: string;
  graph?: string;
  plan?: string;
  threads?: number;
  device?: DeviceChoice;
  /** Where the record goes; `-` for standard output, undefined to print the summary only. */
  output?: string;
  force: boolean;
}

/** Runs a plan on a model and saves the record. Returns the exit code. */
export async function run(options: RunOptions, io: Io): Promise<number> {
  const plan = await choosePlan(options);
  // Before a long run rather than after it.
  if (options.output !== undefined && options.output !== '-') await refuseExisting(options.output, options.force);
  const progress = runProgress(io);
  const stop = new AbortController();
  const worker = startWorker(forkNodeWorker());
  const onInterrupt = () => {
    // The first Ctrl-C ends at the next token; a second one does not wait for it.
    if (stop.signal.aborted) worker.kill();
    else stop.abort();
    progress.stopping();
  };
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onInterrupt);
  try {
    progress.stage('reading the model');
    const folder = await findModel(options.model, {
      ...(options.graph === undefined ? {} : { graph: options.graph }),
      hashes: hashCacheIn(defaultDataDirectory()),
    });
    const { ending, record } = await runExperiment(worker, folder, plan, {
      stream: STREAM,
      createdAt: new Date().toISOString(),
      onLoading: (stage) => progress.stage(stage === 'model' ? 'loading the model' : 'loading the tokenizer'),
      onEvent: (event) => progress.event(event),
      signal: stop.signal,
    });
    progress.end();
    await deliver(record, options, io);
    if (stop.signal.aborted) {
      const samples = record.runs.reduce((sum, run) => sum + run.samples.length, 0);
      io.stderr(`cancelled: ${samples === 1 ? '1 sample was' : `${samples} samples were`} kept\n`);
      return EXIT.interrupted;
    }
    if (ending.status === 'failed') {
      io.stderr(`the run failed: ${ending.reason ?? 'unknown reason'}\n`);
      return EXIT.failed;
    }
    return EXIT.fine;
  } finally {
    progress.end();
    process.off('SIGINT', onInterrupt);
    process.off('SIGTERM', onInterrupt);
    await worker.quit();
  }
}

async function choosePlan(options: RunOptions): Promise<Plan> {
  const plan = options.plan === undefined ? planSchema.parse(STANDARD_SUITE) : await readPlan(options.plan);
  return {
    ...plan,
    ...(options.threads === undefined ? {} : { threads: options.threads }),
    ...(options.device === undefined ? {} : { device: options.device }),
  };
}

async function deliver(record: Parameters<typeof writeRecordFile>[1], options: RunOptions, io: Io): Promise<void> {
  if (options.output === '-') {
    io.stdout(`${JSON.stringify(record, null, 2)}\n`);
    return;
  }
  if (options.output !== undefined) {
    await writeRecordFile(options.output, record, { force: options.force });
    io.stderr(`saved ${options.output}\n`);
  }
  try {
    io.stdout(summaryTable(record, io.columns));
  } catch (error) {
    // A record cut off before its first sample has nothing to summarize.
    io.stderr(`${messageOf(error)}\n`);
  }
}
