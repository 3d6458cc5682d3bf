import { dirname, join } from 'node:path';
import { app, type BrowserWindow, dialog, type OpenDialogOptions } from 'electron';
import { z } from 'zod';
import type { Dialogs } from './profiler.ts';
import { type Notify, StoredJson } from './stored-json.ts';

const folderSchema = z.object({ folder: z.string().nullable() });
const RECORDS = [
  { name: 'Records', extensions: ['json'] },
  { name: 'All files', extensions: ['*'] },
];

/** The system's dialogs. They begin in the folder of the last file; Electron itself would begin in the downloads. */
export async function systemDialogs(
  dataDirectory: string,
  stamp: string,
  notify: Notify,
  window: () => BrowserWindow | undefined,
): Promise<Dialogs> {
  const stored = new StoredJson(join(dataDirectory, 'folder.json'), folderSchema, { folder: null }, notify);
  let folder = (await stored.read(stamp)).folder ?? app.getPath('documents');
  const remember = (path: string) => {
    folder = dirname(path);
    stored.write({ folder });
    return path;
  };
  const ask = async (options: OpenDialogOptions) => {
    const parent = window();
    const all = { ...options, defaultPath: folder };
    const { canceled, filePaths } = await (parent === undefined
      ? dialog.showOpenDialog(all)
      : dialog.showOpenDialog(parent, all));
    const [path] = filePaths;
    return canceled || path === undefined ? undefined : remember(path);
  };
  return {
    openRecord: () => ask({ title: 'Open a record', properties: ['openFile'], filters: RECORDS }),
    openFolder: () => ask({ title: 'Add a model folder', properties: ['openDirectory'] }),
    async saveRecord(suggestedName) {
      const parent = window();
      const options = { title: 'Save the record', defaultPath: join(folder, suggestedName), filters: RECORDS };
      const { canceled, filePath } = await (parent === undefined
        ? dialog.showSaveDialog(options)
        : dialog.showSaveDialog(parent, options));
      return canceled || filePath === '' ? undefined : remember(filePath);
    },
  };
}

/** What would be interrupted by quitting, in words; undefined if nothing would. */
export function quitQuestion(
  running: string | undefined,
  unsaved: number,
): { message: string; detail: string } | undefined {
  const kept =
    unsaved === 0 ? [] : [`${unsaved === 1 ? 'One record is' : `${unsaved} records are`} not saved as a file.`];
  const detail = [...kept, 'What was measured is kept and will be open again the next time.'].join(' ');
  if (running !== undefined) return { message: `A run is going on: ${running}. Stop it and quit?`, detail };
  return unsaved === 0 ? undefined : { message: 'Quit with unsaved records?', detail };
}

/** True: quit. */
export function confirmQuit(window: BrowserWindow, question: { message: string; detail: string }): boolean {
  const buttons = ['Quit', 'Cancel'];
  const choice = dialog.showMessageBoxSync(window, {
    type: 'question',
    buttons,
    defaultId: 1,
    cancelId: 1,
    ...question,
  });
  return choice === 0;
}
