import type { ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { ROOT } from './app-copy.ts';
import { type Driver, launch, type LaunchOptions } from './driver.ts';

const children: ChildProcess[] = [];
const opened: { driver?: Driver; folder: string }[] = [];

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  for (const { driver } of opened) {
    driver?.kill();
    await driver?.exited;
  }
  for (const { folder } of opened) rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

/** A process that must not outlive the tests of this file. */
export function endWithTests(child: ChildProcess): void {
  children.push(child);
}

/** A folder that is gone after the tests of this file, and whatever runs in it before. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tokenscope-app-'));
  opened.push({ folder });
  return folder;
}

/** Starts the built app and waits until its page has drawn what it has to show. */
export async function openApp(options: Partial<LaunchOptions> = {}): Promise<Driver> {
  const folder = options.folder ?? testFolder();
  mkdirSync(folder, { recursive: true });
  const driver = await launch({ params: [], app: ROOT, env: {}, ...options, folder });
  opened.push({ driver, folder });
  await settled(driver);
  return driver;
}

/** Waits until the page has nothing left to do. */
export async function settled({ page }: Driver): Promise<void> {
  await page.locator('.top-bar').waitFor();
  await page.evaluate(() => window.tokenscopeIdle?.());
}
