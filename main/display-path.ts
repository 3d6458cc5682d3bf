import { homedir } from 'node:os';
import { dirname, sep } from 'node:path';

/** A path as it is shown to people: with ~ for the home folder. */
export function displayPath(path: string, home = homedir()): string {
  if (path === home) return '~';
  return path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path;
}

/** The folder of a file, as it is shown. */
export function displayFolder(path: string): string {
  return displayPath(dirname(path));
}
