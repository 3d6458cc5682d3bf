import type { Browser, BrowserContext, Page } from 'playwright-core';
import { RENDERER_FOLDER } from '../../../main/app-paths.ts';
import { type RunningServer, serve } from '../../../main/serve.ts';
import type { ProfilerOptions } from '../../../main/profiler-contract.ts';
import { openTestProfiler, type TestProfiler } from '../../support/profiler.ts';
import { launchBrowser, settled } from './open-app.ts';

/** The whole application as `tokenscope serve` gives it: built page, real socket, real worker, real demo model. */
export interface ServedApp extends TestProfiler {
  server: RunningServer;
  page: Page;
  context: BrowserContext;
  /** What the page reported as errors. */
  errors: string[];
  close(): Promise<void>;
}

let browser: Browser | undefined;

export async function openServedApp(options: Partial<ProfilerOptions> = {}): Promise<ServedApp> {
  browser ??= await launchBrowser();
  const opened = await openTestProfiler(options);
  const { profiler } = opened;
  const server = await serve({ profiler, version: '0.0.0', rendererFolder: RENDERER_FOLDER, port: 0 });
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    acceptDownloads: true,
  });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.goto(server.url);
  await page.locator('.top-bar').waitFor();
  await settled(page);
  return {
    ...opened,
    server,
    page,
    context,
    errors,
    async close() {
      await context.close();
      await profiler.close();
      await server.close();
    },
  };
}

export async function closeBrowser(): Promise<void> {
  await browser?.close();
  browser = undefined;
}
