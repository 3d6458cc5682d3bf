import type { Page } from 'playwright-core';

/** As a person drops them from the file manager: the browser itself lets the page have the files. */
export async function dropFiles(page: Page, paths: string[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', {
      type,
      x: 400,
      y: 300,
      data: { items: [], files: paths, dragOperationsMask: 1 },
    });
  }
  await session.detach();
}
