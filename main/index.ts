import { app } from 'electron';
import { Shell } from './shell.ts';

/** Electron's boot order, and nothing else. What has to be done before the app is ready stands above `ready`. */
const shell = new Shell();
const BOOT: readonly (readonly [name: string, step: () => void | Promise<void>])[] = [
  ['sandbox every page', () => shell.sandboxEveryPage()],
  ['guard every page', () => shell.guardEveryPage()],
  ['register the scheme', () => shell.registerScheme()],
  ['listen for files', () => shell.listenForFiles()],
  ['listen for quit', () => shell.listenForQuit()],
  ['be ready', () => shell.ready()],
  ['lock the data directory', () => shell.lockData()],
  ['open the application', () => shell.openApplication()],
  ['deny permissions', () => shell.denyPermissions()],
  ['serve the page', () => shell.serveFiles()],
  ['answer the window', () => shell.answerWindow()],
  ['install the menu', () => shell.installMenu()],
  ['open the window', () => shell.openWindow()],
  ['open the files that were named', () => shell.openNamedFiles()],
];

async function boot(): Promise<void> {
  for (const [name, step] of BOOT) {
    try {
      // A step without a promise is not waited for: the first ones must all have run before the app can become ready.
      const waiting = step();
      if (waiting !== undefined) await waiting;
    } catch (error) {
      shell.fail(name, error);
      return;
    }
  }
}

if (shell.claimInstance()) void boot();
else app.quit();
