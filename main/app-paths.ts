import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of package.json: the bundler spreads this code over several folders, so it is looked for. */
function findRoot(from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (folder === dirname(folder)) return from;
  }
}

const ROOT = findRoot(import.meta.dirname);

/** Where the parts of the program lie, seen from wherever it is installed. */
export const WORKER_SCRIPT = join(ROOT, 'out/main/worker.js');
export const PRELOAD_SCRIPT = join(ROOT, 'out/preload/index.cjs');
export const RENDERER_FOLDER = join(ROOT, 'out/renderer');
export const DEMO_MODEL = join(ROOT, 'resources/demo-model');
export const SAMPLE_RECORD = join(ROOT, 'records/live-run.json');
export const FONT_FOLDER = join(ROOT, 'resources/fonts');
