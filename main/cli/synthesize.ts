import type { FromWorker } from '../../shared/messages.ts';
import { bytes } from '../../shared/units.ts';
import { forkNodeWorker, startWorker } from '../worker-process.ts';
import { EXIT, type Io } from './io.ts';
import { byteProgress } from './progress.ts';
import { DEMO_MODEL } from '../app-paths.ts';

export interface SynthesizeOptions {
  preset?: string;
  config?: string;
  out: string;
  seed: number;
  force: boolean;
}

/** Writes a model folder of a real shape with random weights. Returns the exit code. */
export async function synthesizeModel(options: SynthesizeOptions, io: Io): Promise<number> {
  const progress = byteProgress(io);
  const worker = startWorker(forkNodeWorker());
  const onInterrupt = () => worker.post({ type: 'cancel' });
  process.on('SIGINT', onInterrupt);
  try {
    worker.post({
      type: 'synthesize',
      request: {
        preset: options.preset ?? null,
        config: options.config ?? null,
        out: options.out,
        seed: options.seed,
        force: options.force,
        tokenizer_from: DEMO_MODEL,
      },
    });
    const answer = await worker.until(isEnd, (message) => {
      if (message.type === 'synthesizing') progress.update(message.done_bytes, message.total_bytes);
    });
    progress.end();
    if (answer.type === 'cancelled') {
      io.stderr('cancelled: nothing was written\n');
      return EXIT.interrupted;
    }
    io.stderr(`${answer.parameters} parameters with random weights, ${bytes(answer.bytes)}\n`);
    io.stdout(`${answer.directory}\n`);
    return EXIT.fine;
  } finally {
    progress.end();
    process.off('SIGINT', onInterrupt);
    await worker.quit();
  }
}

type End = Extract<FromWorker, { type: 'synthesized' | 'cancelled' }>;

function isEnd(message: FromWorker): message is End {
  return message.type === 'synthesized' || message.type === 'cancelled';
}
