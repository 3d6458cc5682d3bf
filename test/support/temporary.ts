import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** A folder for the files of one test file, deleted with all that is in it when its tests have run. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tokenscope-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
