import type { Page } from 'playwright-core';

/** Drops a file anywhere in the window, as a person does. */
export async function dropFile(page: Page, name: string, text: string): Promise<void> {
  await page.evaluate(
    ([name, text]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text], name, { type: 'application/json' }));
      window.dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }));
    },
    [name, text] as const,
  );
}
