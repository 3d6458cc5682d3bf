import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { app, standInApp } from './app.ts';
import { launchChromium } from './chromium.ts';
import { listenToTest } from './control.ts';
import * as electron from './electron.ts';
import { lifecycle } from './lifecycle.ts';

export * from './electron.ts';

/**
 * Runs the app that the command line names, in Electron's order: its main module is evaluated as a whole, and only
 * then is the app ready.
 */
export async function start({ bundle }: { bundle: string }): Promise<void> {
  lifecycle.bundle = bundle;
  const folder = process.argv.slice(2).find((argument) => !argument.startsWith('-'));
  const manifest = folder === undefined ? '' : join(resolve(folder), 'package.json');
  if (folder === undefined || !existsSync(manifest)) {
    process.stderr.write('usage: electron [switches] <folder of the app> [arguments]\n');
    process.exit(1);
  }
  const { main } = JSON.parse(readFileSync(manifest, 'utf8')) as { main: string };
  // Electron's own is not here, and the app is not to see that it runs on something else.
  Object.assign(process, { type: 'browser' });
  process.argv.splice(0, 2, process.argv[1] ?? '');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => app.quit());
  const launching = launchChromium(app.getPath('userData'));
  performance.mark('start');
  await import(pathToFileURL(resolve(folder, main)).href);
  performance.mark('evaluated');
  lifecycle.chromium = await launching;
  // A second instance ends without ever being ready.
  if (standInApp.exiting) return lifecycle.chromium.kill();
  performance.mark('ready');
  const control = process.env['TOKENSCOPE_STAND_IN_CONTROL'];
  standInApp.becomeReady();
  if (control !== undefined) listenToTest(control, await lifecycle.chromium.endpoint(), electron);
}
