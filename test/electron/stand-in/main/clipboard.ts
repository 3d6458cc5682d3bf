import type { Clipboard, ClipboardItem as ElectronItem } from 'electron';
import { only } from '../only.ts';

type Contents = ConstructorParameters<typeof ElectronItem>[0];

export class ClipboardItem implements Pick<ElectronItem, 'types'> {
  readonly types: string[];
  readonly #contents: Contents;

  constructor(contents: Contents) {
    this.types = Object.keys(contents);
    this.#contents = contents;
  }

  async getType(type: string): Promise<Blob> {
    const content = await this.#contents[type];
    if (content === undefined) throw new Error(`there is no ${type} on the clipboard`);
    if (typeof content === 'string') return new Blob([content], { type });
    if (content instanceof Blob) return content;
    throw new Error('the stand-in puts no bookmarks on the clipboard');
  }
}

let items: ElectronItem[] = [];

/** A clipboard of its own: the stand-in leaves the system's alone. */
export const clipboard = only('clipboard', {
  read: () => Promise.resolve(items),
  write(data) {
    items = data;
    return Promise.resolve();
  },
} satisfies Pick<Clipboard, 'read' | 'write'>);
