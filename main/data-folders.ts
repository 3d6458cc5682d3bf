import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, writeProblem } from './record-files.ts';
import type { Notify } from './stored-json.ts';

/** What lies in the data directory beside the small files: each is written to by the part that it is named for. */
const FOLDERS = ['journal', 'models', 'records'];

/**
 * Makes the folders of the data directory. Where that is impossible the application still measures, shows and saves
 * elsewhere, so this is no reason not to start: the person is told what it means.
 */
export async function makeDataFolders(dataDirectory: string, notify: Notify): Promise<void> {
  try {
    // On a read-only disk, Node reports a path that is made at once as missing; made alone, the folder says what it is.
    await mkdir(dataDirectory, { recursive: true }).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return mkdir(dataDirectory);
      throw error;
    });
    for (const name of FOLDERS) await mkdir(join(dataDirectory, name), { recursive: true });
  } catch (error) {
    notify(
      `nothing can be kept from one start to the next, save records as files of your own: ${writeProblem(error)} (${dataDirectory})`,
    );
  }
}
