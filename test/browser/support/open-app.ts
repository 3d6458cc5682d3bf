import chromium from '@sparticuz/chromium';
import { type Browser, type Page, chromium as playwright } from 'playwright-core';
import { type PageServer, servePage } from './serve-page.ts';

/** How the window is to look and what is behind it. */
export interface AppOptions {
  width?: number;
  height?: number;
  theme?: 'light' | 'dark';
  /** Let things glide, as for a person who did not ask for less motion. */
  motion?: boolean;
  /** For the page's address, see page/main.ts. */
  query?: Record<string, string>;
}

export interface OpenApp {
  page: Page;
  /** What the page reported as errors; a test ends by finding none. */
  errors: string[];
  close(): Promise<void>;
}

/** A browser and a server for the tests of one file. */
export class AppUnderTest {
  private constructor(
    private readonly browser: Browser,
    readonly server: PageServer,
  ) {}

  static async start(): Promise<AppUnderTest> {
    const server = await servePage();
    return new AppUnderTest(await launchBrowser(), server);
  }

  async open(options: AppOptions = {}): Promise<OpenApp> {
    const { width = 1280, height = 800, theme = 'dark', motion = false, query = {} } = options;
    const context = await this.browser.newContext({
      viewport: { width, height },
      colorScheme: theme,
      reducedMotion: motion ? 'no-preference' : 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.stack ?? error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await page.goto(`${this.server.url}?${new URLSearchParams(query).toString()}`);
    await settled(page);
    return { page, errors, close: () => context.close() };
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.server.close();
  }
}

export async function launchBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    // The package's own arguments run everything in one process, under which a second page ends the browser.
    args: ['--no-sandbox', '--disable-gpu', '--no-zygote'],
  });
}

/** Waits until the window has nothing left to do; see renderer/idle.ts. */
export async function settled(page: Page): Promise<void> {
  // Not page.waitForFunction: it needs eval, which the page's policy forbids.
  await page.evaluate(() => window.tokenscopeIdle?.());
}

/** Opens the record behind the sample button. */
export async function openSample(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Open the sample' }).click();
  await page.locator('.lanes-canvas, .record-view').first().waitFor();
  await settled(page);
}
