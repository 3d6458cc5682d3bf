import { homedir, platform } from 'node:os';
import { join } from 'node:path';

/**
 * Where the application remembers things, by the customs of each system. TOKENSCOPE_DATA_DIR names another place. The
 * window and the browser host share it: a model that was written for one is there for the other.
 */
export function defaultDataDirectory(environment: NodeJS.ProcessEnv = process.env, system = platform()): string {
  const named = environment['TOKENSCOPE_DATA_DIR'];
  if (named !== undefined && named !== '') return named;
  if (system === 'darwin') return join(homedir(), 'Library', 'Application Support', 'tokenscope', 'data');
  if (system === 'win32') {
    return join(environment['APPDATA'] ?? join(homedir(), 'AppData', 'Roaming'), 'tokenscope', 'data');
  }
  return join(environment['XDG_DATA_HOME'] || join(homedir(), '.local', 'share'), 'tokenscope');
}
