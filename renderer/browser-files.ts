import { messageOf } from '../shared/errors.ts';
import type { Outcome } from '../shared/host.ts';

/** Lets a person pick a file. Undefined: they declined. To be called from a click or a key. */
export function chooseFile(): Promise<File | undefined> {
  return new Promise((resolve) => {
    const input = document.createElement('input');
    input.type = 'file';
    input.accept = '.json,.tokenscope,application/json';
    input.addEventListener('change', () => resolve(input.files?.[0]));
    input.addEventListener('cancel', () => resolve(undefined));
    input.click();
  });
}

/** Hands a file to the browser's downloads. */
export function downloadFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads it after this turn; a minute is enough for it to have begun.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Puts a picture on the clipboard. */
export async function copyPicture(png: Blob): Promise<Outcome<undefined>> {
  try {
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': png })]);
    return { ok: true, value: undefined };
  } catch (error) {
    const message = `the clipboard cannot be used: ${messageOf(error)}`;
    const remedy = 'allow this page to use it, or export a file';
    return { ok: false, error: { code: 'argument', message, path: null, remedy } };
  }
}
