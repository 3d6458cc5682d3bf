import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { _electron } from 'playwright-core';
import { ROOT } from './app-copy.ts';
import type { Driver, LaunchOptions } from './driver.ts';
import { dropFiles } from './drop-files.ts';

/** The binary that `install-electron` fetches; undefined where it cannot be had, or where there is no display for it. */
export function electronBinary(): string | undefined {
  if (process.platform === 'linux' && !process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY']) return undefined;
  const named = process.env['ELECTRON_EXEC_PATH'];
  if (named) return named;
  const pathFile = join(ROOT, 'node_modules/electron/path.txt');
  if (!existsSync(pathFile)) return undefined;
  const binary = join(ROOT, 'node_modules/electron/dist', readFileSync(pathFile, 'utf8'));
  return existsSync(binary) ? binary : undefined;
}

export async function launchElectron(binary: string, { params, app, folder, env }: LaunchOptions): Promise<Driver> {
  // Set for an Electron that is to behave like Node; it would refuse the switches that Playwright needs.
  const { ELECTRON_RUN_AS_NODE: _, ...environment } = process.env;
  const all = { ...environment, TOKENSCOPE_DATA_DIR: join(folder, 'data'), ...env } as Record<string, string>;
  const switches = [`--user-data-dir=${join(folder, 'user')}`, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
  const running = await _electron.launch({ executablePath: binary, args: [...switches, app, ...params], env: all });
  const child = running.process();
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const page = await running.firstWindow();
  return {
    page,
    evaluate: ((work: Parameters<typeof running.evaluate>[0], arg: unknown) =>
      running.evaluate(work, arg)) as Driver['evaluate'],
    drop: (paths) => dropFiles(page, paths),
    startAgain: (more) =>
      new Promise((resolve) => {
        spawn(binary, [...switches, app, ...more], { env: all, stdio: 'ignore' }).once('exit', () => resolve());
      }),
    exited,
    kill: () => void child.kill('SIGKILL'),
  };
}
