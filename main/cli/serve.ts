import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { platform } from 'node:os';
import { version } from '../../package.json';
import { TokenscopeError } from '../../shared/errors.ts';
import type { Outcome } from '../../shared/host.ts';
import { DEMO_MODEL, RENDERER_FOLDER, SAMPLE_RECORD } from '../app-paths.ts';
import { defaultDataDirectory } from '../data-directory.ts';
import { lockDataDirectory } from '../data-lock.ts';
import { openProfiler } from '../profiler.ts';
import type { Dialogs, Profiler } from '../profiler-contract.ts';
import { serve as startServer } from '../serve.ts';
import { forkNodeWorker } from '../worker-process.ts';
import { EXIT, type Io } from './io.ts';

export interface ServeCommandOptions {
  port?: number;
  open: boolean;
  /** Folders to add to the list of models, since a page cannot name any. */
  model: string[];
  dataDir?: string;
}

/** Serves the application to a browser of this machine until it is told to end. Returns the exit code. */
export async function serve(records: readonly string[], options: ServeCommandOptions, io: Io): Promise<number> {
  await access(join(RENDERER_FOLDER, 'index.html')).catch(() => {
    throw new TokenscopeError('file', 'the page has not been built', {
      path: RENDERER_FOLDER,
      remedy: 'npm run build',
    });
  });
  const dataDirectory = options.dataDir ?? defaultDataDirectory();
  const lock = await lockDataDirectory(dataDirectory);
  const profiler = await openProfiler({
    version,
    host: 'browser',
    dataDirectory,
    demoModel: DEMO_MODEL,
    sampleRecord: SAMPLE_RECORD,
    forkWorker: () => forkNodeWorker(),
    dialogs: NO_DIALOGS,
  });
  try {
    for (const path of options.model) report(await profiler.addModel({ by: 'path', path }), io);
    for (const path of records) report(await profiler.openRecord({ by: 'path', path }), io);
    const server = await startServer({ profiler, version, rendererFolder: RENDERER_FOLDER, port: options.port ?? 0 });
    // To standard output and alone on its line, for scripts. Only who has the token may use it.
    io.stdout(`${server.url}\n`);
    io.stderr('Open this address in a browser of this machine. Ctrl-C ends it; a run that is going on is kept.\n');
    if (options.open) openInBrowser(server.url);
    await interrupted(profiler, io);
    await profiler.close();
    await server.close();
    const lost = await profiler.lostOnClose();
    if (lost === 0) return EXIT.fine;
    io.stderr(
      `${lost === 1 ? '1 record that was not saved is' : `${lost} records that were not saved are`} lost: ${dataDirectory} cannot be written\n`,
    );
    return EXIT.failed;
  } finally {
    await profiler.close();
    lock.release();
  }
}

/** Resolves at Ctrl-C or when the system wants the process to end. A second Ctrl-C does not wait for anything. */
async function interrupted(profiler: Profiler, io: Io): Promise<void> {
  const stop = new AbortController();
  await Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal, { signal: stop.signal })));
  stop.abort();
  process.once('SIGINT', () => process.exit(EXIT.interrupted));
  if (profiler.getState().run !== null) io.stderr('stopping the run at the next token\n');
}

function report(outcome: Outcome<unknown>, io: Io): void {
  if (outcome.ok) return;
  const { path, message } = outcome.error;
  io.stderr(`tokenscope: ${path === null ? '' : `${path}: `}${message}\n`);
}

function noDialog(): Promise<never> {
  return Promise.reject(
    new TokenscopeError('argument', 'a page has no dialogs of this machine', {
      remedy: 'drop the file into the page, or name it when the program is started',
    }),
  );
}
const NO_DIALOGS: Dialogs = { openRecord: noDialog, saveRecord: noDialog, openFolder: noDialog, saveExport: noDialog };

/** By the system's own way to open an address. Where there is none, the printed address has to do. */
function openInBrowser(url: string): void {
  const [command, args] = {
    darwin: ['open', [url]] as const,
    // `start` would take the & of an address for its own; rundll32 takes it as it is.
    win32: ['rundll32', ['url.dll,FileProtocolHandler', url]] as const,
    other: ['xdg-open', [url]] as const,
  }[platform() === 'darwin' ? 'darwin' : platform() === 'win32' ? 'win32' : 'other'];
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  child.once('error', () => undefined);
  child.unref();
}
