import { TokenscopeError } from '../../shared/errors.ts';
import { DEFAULT_DOWNLOAD } from '../../shared/model-download.ts';
import { bytes } from '../../shared/units.ts';
import { downloadModel } from '../model-download.ts';
import { EXIT, type Io } from './io.ts';
import { downloadProgress } from './progress.ts';

export interface DownloadCommandOptions {
  model: string;
  revision?: string;
  variant: string;
  destination: string;
  force: boolean;
}

/** Downloads a model into a folder, whose path is all that goes to standard output. Returns the exit code. */
export async function download(options: DownloadCommandOptions, io: Io): Promise<number> {
  const revision = options.revision ?? (options.model === DEFAULT_DOWNLOAD.model ? DEFAULT_DOWNLOAD.revision : 'main');
  const stop = new AbortController();
  const progress = downloadProgress(io);
  const onInterrupt = () => {
    // What is on the disk at any moment is enough to go on from, so a second Ctrl-C need not wait.
    if (stop.signal.aborted) process.exit(EXIT.interrupted);
    stop.abort();
  };
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onInterrupt);
  try {
    const model = await downloadModel(
      { ...options, revision },
      {
        signal: stop.signal,
        onProgress: (event) => progress.update(event),
        onResolved: ({ model, revision: commit, variant, license, bytes: size, files }) => {
          const named = commit === revision ? '' : `${revision} is `;
          progress.say(
            `${model}, ${variant}: ${named}${commit}, ${files} files, ${bytes(size)}, licence ${license ?? 'not named'}\n`,
          );
        },
      },
    );
    progress.end();
    if (model.already) io.stderr(`${model.model} at ${model.revision} is there already, and every hash is right\n`);
    io.stdout(`${model.directory}\n`);
    return EXIT.fine;
  } catch (error) {
    progress.end();
    if (!stop.signal.aborted || error instanceof TokenscopeError) throw error;
    io.stderr('cancelled: what arrived is kept, the same command goes on from there\n');
    return EXIT.interrupted;
  } finally {
    process.off('SIGINT', onInterrupt);
    process.off('SIGTERM', onInterrupt);
  }
}
