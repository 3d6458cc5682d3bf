import { utilityProcess } from 'electron';
import { RECORD_WORKER_SCRIPT, WORKER_SCRIPT } from './app-paths.ts';
import type { WorkerHost } from './worker-process.ts';

/** The worker as a utility process of Electron. Only after the app is ready. */
export function forkElectronWorker(script = WORKER_SCRIPT): WorkerHost {
  return forkUtility(script, 'Tokenscope inference', 'inherit');
}

/** The process that reads a large record. Its memory is bounded by the 4 GB that Electron's V8 has in one process. */
export function forkElectronRecordWorker(script = RECORD_WORKER_SCRIPT): WorkerHost {
  return forkUtility(script, 'Tokenscope records', 'ignore');
}

function forkUtility(script: string, serviceName: string, stderr: 'inherit' | 'ignore'): WorkerHost {
  const child = utilityProcess.fork(script, [], {
    serviceName,
    stdio: ['ignore', 'ignore', stderr],
  });
  return {
    // Known once the process was spawned.
    get pid() {
      return child.pid;
    },
    port: {
      post: (message) => child.postMessage(message),
      onMessage: (handler) => void child.on('message', handler),
      close: () => void child.kill(),
    },
    onExit(handler) {
      // What V8 says before it gives up (out of memory, mostly) is worth more than the exit code that follows.
      let fatal: string | undefined;
      child.once('error', (_type, location) => {
        fatal = `ran out of memory or met a fatal error of the engine (${location})`;
      });
      child.once('exit', (code) => handler(fatal ?? exitInWords(code)));
    },
    kill: () => endHard(child),
  };
}

/** Electron reports a signal as its number on POSIX systems, and what Chromium makes of a crash elsewhere. */
function exitInWords(code: number): string {
  if (code === 0) return 'ended by itself';
  return `ended with exit code ${code}`;
}

/** `kill()` asks with SIGTERM, which a process inside a long native call never comes to hear. */
function endHard(child: { pid: number | undefined; kill(): boolean }): void {
  if (child.pid === undefined) {
    child.kill();
    return;
  }
  try {
    process.kill(child.pid, 'SIGKILL');
  } catch {
    // It has ended by itself in the meantime.
    child.kill();
  }
}
