import { EventEmitter } from 'node:events';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { App } from 'electron';
import { only } from '../only.ts';
import { type AppEvents, eventOf } from './events.ts';
import { claimLock, type InstanceLock } from './instance-lock.ts';
import { lifecycle } from './lifecycle.ts';

/** A window as far as the app's end is concerned. */
export interface ClosableWindow {
  /** False: it stays. */
  askToClose(): boolean;
}

/** Electron's order of events, as in its Browser class: what is asked before what, and what ends the process. */
class StandInApp extends EventEmitter {
  readonly isPackaged = false;
  readonly #windows = new Set<ClosableWindow>();
  #quitting = false;
  #exiting = false;
  #lock: InstanceLock | undefined;
  #wake: () => void = () => undefined;
  readonly #whenReady = new Promise<void>((resolve) => (this.#wake = resolve));

  tell<K extends keyof AppEvents>(name: K, ...params: AppEvents[K]): void {
    this.emit(name, ...params);
  }

  /** It has been told to end, perhaps before it was ready. */
  get exiting(): boolean {
    return this.#exiting;
  }

  becomeReady(): void {
    lifecycle.ready = true;
    this.tell('ready');
    this.#wake();
  }

  isReady(): boolean {
    return lifecycle.ready;
  }

  whenReady(): Promise<void> {
    return this.#whenReady;
  }

  enableSandbox(): void {
    if (lifecycle.ready) throw new Error('app.enableSandbox() can only be called before app is ready');
    lifecycle.sandboxed = true;
  }

  getPath(name: Parameters<App['getPath']>[0]): string {
    if (name === 'documents') return join(homedir(), 'Documents');
    if (name === 'userData') return userData();
    throw new Error(`the stand-in has no app.getPath('${name}')`);
  }

  requestSingleInstanceLock(additionalData?: Record<string, unknown>): boolean {
    this.#lock = claimLock(
      userData(),
      { argv: process.argv, cwd: process.cwd(), data: additionalData ?? null },
      (from) => {
        // Chromium adds switches of its own to what the second instance was started with.
        const [first = '', ...others] = from.argv;
        const argv = [first, '--allow-file-access-from-files', ...others];
        void this.#whenReady.then(() => this.tell('second-instance', eventOf({}), argv, from.cwd, from.data));
      },
    );
    return this.#lock.held;
  }

  quit(): void {
    if (this.#quitting) return;
    const event = eventOf({});
    this.#quitting = true;
    this.tell('before-quit', event);
    if (event.defaultPrevented) {
      this.#quitting = false;
      return;
    }
    if (this.#windows.size === 0) this.#shutDown();
    else for (const window of [...this.#windows]) if (!window.askToClose()) return;
  }

  exit(code = 0): void {
    this.#end(code);
  }

  addWindow(window: ClosableWindow): void {
    this.#windows.add(window);
  }

  /** A window was asked to close and stays. */
  closeCancelled(): void {
    this.#quitting = false;
  }

  removeWindow(window: ClosableWindow): void {
    this.#windows.delete(window);
    if (this.#windows.size > 0 || this.#exiting) return;
    if (this.#quitting) this.#shutDown();
    else if (this.listenerCount('window-all-closed') > 0) this.tell('window-all-closed');
    else this.quit();
  }

  #shutDown(): void {
    const event = eventOf({});
    this.tell('will-quit', event);
    if (event.defaultPrevented) this.#quitting = false;
    else this.#end(0);
  }

  #end(code: number): void {
    if (this.#exiting) return;
    this.#exiting = true;
    this.tell('quit', eventOf({}), code);
    lifecycle.chromium?.kill();
    // A second instance stays until the first has heard it.
    void (this.#lock?.handedOver ?? Promise.resolve()).then(() => process.exit(code));
  }
}

function userData(): string {
  const prefix = '--user-data-dir=';
  const named = process.argv.find((argument) => argument.startsWith(prefix));
  return (
    named?.slice(prefix.length) ?? join(process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'tokenscope')
  );
}

export const standInApp = new StandInApp();
export const app = only(
  'app',
  standInApp satisfies Pick<
    App,
    'isPackaged' | 'isReady' | 'whenReady' | 'enableSandbox' | 'getPath' | 'requestSingleInstanceLock' | 'quit' | 'exit'
  >,
);
