import { type ChildProcess, fork as forkNode } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { constants } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { utilityProcess as ElectronUtilityProcess, UtilityProcess } from 'electron';
import { only } from '../only.ts';
import { lifecycle } from './lifecycle.ts';

type ForkParams = Parameters<(typeof ElectronUtilityProcess)['fork']>;

/** A child process of Node that finds `process.parentPort` in it, and no trace of Node's own channel. */
class StandInUtilityProcess extends EventEmitter {
  readonly #child: ChildProcess;
  #pid: number | undefined;

  constructor([script, params = [], options = {}]: ForkParams) {
    super();
    const stdio = Array.isArray(options.stdio) ? options.stdio : (['ignore', 'inherit', 'inherit'] as const);
    this.#child = forkNode(script, params, {
      stdio: [...stdio, 'ipc'],
      serialization: 'advanced',
      execArgv: ['--import', pathToFileURL(join(lifecycle.bundle, 'child.js')).href],
    });
    this.#child.once('spawn', () => {
      this.#pid = this.#child.pid;
      this.emit('spawn');
    });
    this.#child.on('message', (message: { data: unknown }) => this.emit('message', message.data));
    this.#child.once('exit', (code, signal) => {
      this.#pid = undefined;
      // Electron tells of a signal by its number.
      this.emit('exit', code ?? (signal === null ? 1 : constants.signals[signal]));
    });
    this.#child.once('error', () => this.emit('exit', 1));
  }

  get pid(): number | undefined {
    return this.#pid;
  }

  postMessage(message: unknown): void {
    // To a process that is gone already: lost, and its end is told on its own.
    if (this.#child.connected) this.#child.send({ data: message }, () => undefined);
  }

  kill(): boolean {
    return this.#child.kill();
  }
}

export const utilityProcess = only('utilityProcess', {
  fork(...params: ForkParams) {
    if (!lifecycle.ready) throw new Error('utilityProcess cannot be created before app is ready');
    const child = new StandInUtilityProcess(params) satisfies Pick<UtilityProcess, 'pid' | 'postMessage' | 'kill'>;
    return only('UtilityProcess', child) as unknown as UtilityProcess;
  },
} satisfies Pick<typeof ElectronUtilityProcess, 'fork'>);
