import { type ChildProcess, fork } from 'node:child_process';
import {
  errorFromMessage,
  type FromWorker,
  fromWorkerSchema,
  parseMessage,
  type ToWorker,
} from '../shared/messages.ts';
import { messageOf, TokenscopeError } from '../shared/errors.ts';
import type { Port } from '../shared/port.ts';
import { WORKER_SCRIPT } from './app-paths.ts';

/** A started process that holds the inference worker. Node's and Electron's kinds both fit it. */
export interface WorkerHost {
  port: Port;
  readonly pid: number | undefined;
  /** Called once, with the reason in words, when the process is gone. */
  onExit(handler: (reason: string) => void): void;
  kill(): void;
}

/** How long a worker may take to release its model when it is asked to leave. */
const QUIT_WITHIN_MS = 5000;

/** The end of a process in words. Signals are named as the system does; an exit code that is negative is a crash. */
export function exitReason(code: number | null, signal: string | null): string {
  if (signal !== null) return `was ended by ${signal}`;
  return code === 0 ? 'ended by itself' : `ended with exit code ${code ?? 'unknown'}`;
}

/** The worker as a child process of Node. */
export function forkNodeWorker(script = WORKER_SCRIPT): WorkerHost {
  const child = fork(script, [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  return {
    pid: child.pid,
    port: nodePort(child),
    onExit(handler) {
      child.once('error', (error) => handler(`could not be started: ${messageOf(error)}`));
      child.once('exit', (code, signal) => handler(exitReason(code, signal)));
    },
    kill: () => child.kill('SIGKILL'),
  };
}

/** The channel to a child process of Node. */
export function nodePort(child: ChildProcess): Port {
  return {
    post(message) {
      // A message to a process that has just died is lost; its exit is reported on its own.
      if (child.connected && typeof message === 'object' && message !== null) child.send(message, () => undefined);
    },
    onMessage: (handler) => void child.on('message', handler),
    close: () => child.disconnect(),
  };
}

/** A conversation with a worker: typed messages in, typed messages out, and an end that never goes unnoticed. */
export interface WorkerProcess {
  post(message: ToWorker): void;
  /**
   * Waits until the worker has an answer for what it was told, passing every message on the way to `onMessage`.
   * `isAnswer` picks the last one. Rejects with a `worker` error if the process ends, or with the worker's own error.
   */
  until<T extends FromWorker>(
    isAnswer: (message: FromWorker) => message is T,
    onMessage?: (message: FromWorker) => void,
  ): Promise<T>;
  /** Why the process is gone, or undefined while it lives. */
  readonly exit: TokenscopeError | undefined;
  /** Calls back once the process is gone; at once if it is. */
  onExit(handler: (error: TokenscopeError) => void): void;
  /** Ends the process at once. `reason` stands for the signal in what is told of its end: "did not answer for 10 s". */
  kill(reason?: string): void;
  /** Lets the worker release its model and waits for its end; one that does not leave in time is ended. */
  quit(): Promise<void>;
}

interface Listener {
  message(message: FromWorker): void;
  exit(error: TokenscopeError): void;
}

export function startWorker(host: WorkerHost): WorkerProcess {
  const listeners = new Set<Listener>();
  let exit: TokenscopeError | undefined;
  let killedFor: string | undefined;
  host.port.onMessage((raw) => {
    let message: FromWorker;
    try {
      message = parseMessage(fromWorkerSchema, raw, 'the inference process');
    } catch (error) {
      message = { type: 'failed', error: { code: 'message', message: messageOf(error), path: null, remedy: null } };
    }
    for (const listener of [...listeners]) listener.message(message);
  });
  host.onExit((reason) => {
    if (exit !== undefined) return;
    exit = new TokenscopeError('worker', `the inference process ${killedFor ?? reason}`, {
      remedy: 'run it again; a larger model may need more memory',
    });
    for (const listener of [...listeners]) listener.exit(exit);
    listeners.clear();
  });
  const onExit = (handler: (error: TokenscopeError) => void) => {
    if (exit === undefined) listeners.add({ message: () => undefined, exit: handler });
    else handler(exit);
  };

  return {
    post: (message) => host.port.post(message),
    get exit() {
      return exit;
    },
    onExit,
    until(isAnswer, onMessage) {
      return new Promise((resolve, reject) => {
        if (exit !== undefined) {
          reject(exit);
          return;
        }
        const listener: Listener = {
          message(message) {
            onMessage?.(message);
            if (isAnswer(message)) {
              listeners.delete(listener);
              resolve(message);
            } else if (message.type === 'failed') {
              listeners.delete(listener);
              reject(errorFromMessage(message.error));
            }
          },
          exit: reject,
        };
        listeners.add(listener);
      });
    },
    kill(reason) {
      killedFor ??= reason;
      host.kill();
    },
    quit() {
      return new Promise((resolve) => {
        const timer = setTimeout(() => host.kill(), QUIT_WITHIN_MS);
        onExit(() => {
          clearTimeout(timer);
          resolve();
        });
        host.port.post({ type: 'quit' } satisfies ToWorker);
      });
    },
  };
}
