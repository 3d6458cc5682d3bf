import type { Page } from 'playwright-core';

/** Drops a file anywhere in the window, as a person does; `content` is text, or bytes. */
export async function dropFile(page: Page, name: string, content: string | readonly number[]): Promise<void> {
  await page.evaluate(
    ([name, content]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([typeof content === 'string' ? content : Uint8Array.from(content)], name));
      for (const type of ['dragenter', 'drop']) {
        window.dispatchEvent(new DragEvent(type, { dataTransfer, cancelable: true }));
      }
    },
    [name, content] as const,
  );
}
