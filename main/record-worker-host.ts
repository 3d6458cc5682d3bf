import { fork } from 'node:child_process';
import { messageOf } from '../shared/errors.ts';
import { RECORD_WORKER_SCRIPT } from './app-paths.ts';
import { exitReason, nodePort, type WorkerHost } from './worker-process.ts';

/**
 * The most that values may take: what JSON_LIMITS lets through needs up to 2.8 GB. A thread of ours would not do, though
 * it can be bounded as well: where it is JSON.parse that meets the bound, V8 ends the whole process.
 */
const HEAP_MEGABYTES = 3072;
/** What V8 writes before it gives up ends with the cause. */
const OUT_OF_MEMORY = /heap out of memory/i;
const MOST_LAST_WORDS = 10_000;

/** The process that reads a large record, as a child process of Node. */
export function forkNodeRecordWorker(heapMegabytes = HEAP_MEGABYTES, script = RECORD_WORKER_SCRIPT): WorkerHost {
  const child = fork(script, [], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // Bytes as bytes.
    serialization: 'advanced',
    execArgv: [...process.execArgv, `--max-old-space-size=${heapMegabytes}`],
  });
  let lastWords = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    lastWords = `${lastWords}${text}`.slice(0, MOST_LAST_WORDS);
  });
  return {
    pid: child.pid,
    port: nodePort(child),
    onExit(handler) {
      child.once('error', (error) => handler(`could not be started: ${messageOf(error)}`));
      // Once its last words have come as well.
      child.once('close', (code, signal) =>
        handler(OUT_OF_MEMORY.test(lastWords) ? 'ran out of memory' : exitReason(code, signal)),
      );
    },
    kill: () => child.kill('SIGKILL'),
  };
}
