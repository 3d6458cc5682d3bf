import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The built command line: what a person runs, with its worker process and all. */
export const CLI = join(import.meta.dirname, '../../out/main/cli.js');

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

export function runCli(
  args: readonly string[],
  options: { cwd?: string; nodeArgs?: readonly string[] } = {},
): Promise<CliResult> {
  if (!existsSync(CLI)) throw new Error('out/main/cli.js is missing: run npm run build first');
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...(options.nodeArgs ?? []), CLI, ...args], {
      cwd: options.cwd,
      // What it remembers of models is kept out of the data of the person who runs the tests.
      env: { TOKENSCOPE_DATA_DIR: join(tmpdir(), 'tokenscope-test-data'), ...process.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** What every refusal looks like: exit 1, one line, no data, no stack. */
export function isOneLine(text: string): boolean {
  return /^[^\n]+\n$/.test(text) && !/\bat .*:\d+:\d+/.test(text) && !text.includes('Error:');
}
