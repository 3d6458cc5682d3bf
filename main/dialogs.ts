import { dirname, join } from 'node:path';
import {
  app,
  type BrowserWindow,
  dialog,
  type FileFilter,
  type OpenDialogOptions,
  type SaveDialogOptions,
} from 'electron';
import { z } from 'zod';
import type { Dialogs } from './profiler-contract.ts';
import { type Notify, StoredJson } from './stored-json.ts';

const folderSchema = z.object({ folder: z.string().nullable() });
const RECORDS = [
  // The first is what a new file gets; the second is the one that the system opens with this program.
  { name: 'Records', extensions: ['json', 'tokenscope'] },
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
  const askWhere = async (title: string, suggestedName: string, filters: FileFilter[]) => {
    const parent = window();
    const options: SaveDialogOptions = {
      title,
      defaultPath: join(folder, suggestedName),
      filters,
      // Linux asks before a file is replaced only if it is told to; elsewhere the system does by itself.
      properties: ['showOverwriteConfirmation'],
    };
    const { canceled, filePath } = await (parent === undefined
      ? dialog.showSaveDialog(options)
      : dialog.showSaveDialog(parent, options));
    return canceled || filePath === '' ? undefined : remember(filePath);
  };
  return {
    openRecord: () => ask({ title: 'Open a record', properties: ['openFile'], filters: RECORDS }),
    openFolder: () => ask({ title: 'Add a model folder', properties: ['openDirectory'] }),
    saveRecord: (suggestedName) => askWhere('Save the record', suggestedName, RECORDS),
    saveExport: (suggestedName, { label, ending }) => {
      const extension = ending.slice(ending.lastIndexOf('.') + 1);
      return askWhere('Export', suggestedName, [{ name: label, extensions: [extension] }]);
    },
  };
}

/** What would be interrupted by quitting, in words; undefined if nothing would. */
export function quitQuestion(
  running: string | undefined,
  unsaved: number,
  /** Of the unsaved, how many could not be kept on the disk either. */
  lost: number,
): { message: string; detail: string } | undefined {
  const kept =
    unsaved === 0 ? [] : [`${unsaved === 1 ? 'One record is' : `${unsaved} records are`} not saved as a file.`];
  const fate =
    lost === 0
      ? 'What was measured is kept and will be open again the next time.'
      : `${lost === 1 ? 'One could' : `${lost} could`} not be kept on the disk either and will be lost.`;
  const detail = [...kept, fate].join(' ');
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
