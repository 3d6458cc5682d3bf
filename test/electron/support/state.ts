import type { Page } from 'playwright-core';
import type { Bridge } from '../../../renderer/electron-host.ts';
import type { AppState } from '../../../shared/host.ts';

/** What the page knows of the application, asked for over its own bridge. */
export function stateOf(page: Page): Promise<AppState> {
  return page.evaluate(() => {
    const host: Bridge = window.tokenscope;
    if (host === undefined) throw new Error('the page has no host');
    return host.getState();
  });
}
