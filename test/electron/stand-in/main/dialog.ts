import type { Dialog } from 'electron';
import { only } from '../only.ts';

/**
 * Nobody sits in front of it: what is asked is declined, and what is told goes to the terminal. A test that wants
 * another answer puts its own function in the place of one of these, as it does in a real Electron.
 */
export const dialog = only('dialog', {
  showOpenDialog: () => Promise.resolve({ canceled: true, filePaths: [] }),
  showSaveDialog: () => Promise.resolve({ canceled: true, filePath: '' }),
  showMessageBoxSync: (...params: unknown[]) => {
    const options = params.at(-1);
    return typeof options === 'object' && options !== null && 'cancelId' in options ? Number(options.cancelId) : 0;
  },
  showErrorBox: (title, content) => void process.stderr.write(`${title}\n${content}\n`),
} satisfies Pick<Dialog, 'showOpenDialog' | 'showSaveDialog' | 'showMessageBoxSync' | 'showErrorBox'>);
