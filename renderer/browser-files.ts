/** Lets a person pick a file. Undefined: they declined. To be called from a click or a key. */
export function chooseFile(): Promise<File | undefined> {
  return new Promise((resolve) => {
    const input = document.createElement('input');
    input.type = 'file';
    input.accept = '.json,application/json';
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
