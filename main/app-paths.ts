import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of package.json: the bundler spreads this code over several folders, so it is looked for. */
function findRoot(from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (folder === dirname(folder)) return from;
  }
}

/**
 * Where the files of a root can be opened by what knows nothing of Electron's archives: native libraries and another
 * process. A package has them in the folder beside the archive; everywhere else it is the root itself.
 */
export function onDisk(root: string): string {
  return root.endsWith('.asar') ? `${root}.unpacked` : root;
}

const ROOT = findRoot(import.meta.dirname);
const DISK = onDisk(ROOT);

/** Where the parts of the program lie, seen from wherever it is installed. */
export const WORKER_SCRIPT = join(DISK, 'out/main/worker.js');
export const RECORD_WORKER_SCRIPT = join(DISK, 'out/main/record-worker.js');
export const PRELOAD_SCRIPT = join(ROOT, 'out/preload/index.cjs');
export const RENDERER_FOLDER = join(ROOT, 'out/renderer');
export const DEMO_MODEL = join(DISK, 'resources/demo-model');
export const SAMPLE_RECORD = join(DISK, 'records/live-run.json');
export const FONT_FOLDER = join(DISK, 'resources/fonts');
