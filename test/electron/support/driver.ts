import type { Page } from 'playwright-core';
import type * as electron from 'electron';
import { electronBinary, launchElectron } from './electron-driver.ts';
import { launchStandIn } from './stand-in-driver.ts';

export type ElectronModule = typeof electron;

/** A running app, and all that a test may do to it from outside. The same for a real Electron and for the stand-in. */
export interface Driver {
  /** The first window's page. */
  readonly page: Page;
  /** Runs a function in the main process. It is sent as text: it can use its parameters and nothing else. */
  evaluate<R, A = undefined>(work: (electron: ElectronModule, arg: A) => R | Promise<R>, arg?: A): Promise<R>;
  /** Drops files of the disk onto the window. */
  drop(paths: string[]): Promise<void>;
  /** Starts the app once more, as the file manager does, and waits until that instance has ended. */
  startAgain(params: string[]): Promise<void>;
  /** The exit code, once the app has ended. */
  readonly exited: Promise<number | null>;
  /** Ends it hard, if it still runs. */
  kill(): void;
}

export interface LaunchOptions {
  /** What stands on the command line after the app. */
  params: string[];
  /** Where package.json and the built app lie. */
  app: string;
  /** Where everything of this start is remembered: two starts with the same folder share it. */
  folder: string;
  /** Variables for the app besides our own. */
  env: Record<string, string>;
}

/** `npm run test:electron` asks for the real one, by vitest's mode. */
const wantsElectron = process.env['MODE'] === 'electron';
const binary = wantsElectron ? electronBinary() : undefined;

/** Which driver runs, for the one line that says so. */
export const DRIVER =
  binary === undefined
    ? `The shell's tests run on the stand-in${wantsElectron ? ": Electron's binary, or a display for it, is missing" : ''}.`
    : `The shell's tests run on Electron: ${binary}`;

export function launch(options: LaunchOptions): Promise<Driver> {
  return binary === undefined ? launchStandIn(options) : launchElectron(binary, options);
}
