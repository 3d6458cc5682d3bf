import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * The files that a command line names, as absolute paths: `Tokenscope run.json`. Started from its sources, Electron's
 * first argument is the app itself. Flags, which Chromium adds to, and what is no file are left out.
 */
export function filesOfCommandLine(argv: readonly string[], workingDirectory: string, packaged: boolean): string[] {
  return argv
    .slice(packaged ? 1 : 2)
    .filter((argument) => argument !== '' && !argument.startsWith('-'))
    .map((argument) => resolve(workingDirectory, argument))
    .filter((path) => existsSync(path) && statSync(path).isFile());
}
