import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../..');

/** A change of a built file: every place that reads like the one is made to read like the other. */
export interface Change {
  /** The file's folder: its name has a hash in it, so it is looked for by what it holds. */
  in: 'out/main' | 'out/renderer';
  from: string;
  to: string;
}

/** The built app in another folder, with changes: to see that a test which must fail does. */
export function copyApp(folder: string, changes: readonly Change[]): string {
  mkdirSync(folder, { recursive: true });
  cpSync(join(ROOT, 'out'), join(folder, 'out'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  for (const name of ['node_modules', 'resources', 'records']) symlinkSync(join(ROOT, name), join(folder, name));
  for (const change of changes) apply(folder, change);
  return folder;
}

function apply(folder: string, { in: inside, from, to }: Change): void {
  let found = false;
  for (const name of readdirSync(join(folder, inside), { recursive: true, encoding: 'utf8' })) {
    if (!/\.(js|html)$/.test(name)) continue;
    const path = join(folder, inside, name);
    const text = readFileSync(path, 'utf8');
    if (!text.includes(from)) continue;
    found = true;
    writeFileSync(path, text.replaceAll(from, to));
  }
  if (!found) throw new Error(`nothing in ${inside} reads: ${from}`);
}
