// `npm start`: plain JavaScript, because it runs before anything is built.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { platform } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const given = process.argv.slice(2);
const say = (line) => process.stderr.write(`${line}\n`);

/** The newest change below a path, in milliseconds since 1970. */
function changedAt(path) {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => changedAt(join(path, name))));
}

const BUILT = [
  'out/main/index.js',
  'out/main/cli.js',
  'out/main/worker.js',
  'out/main/record-worker.js',
  'out/preload/index.cjs',
  'out/renderer/index.html',
];
const SOURCES = ['main', 'preload', 'renderer', 'shared', 'package.json', 'electron.vite.config.ts'];

/** Whether anything of the build is missing, or older than what it is made of. An installed copy has no sources. */
function isStale() {
  if (BUILT.some((name) => !existsSync(join(root, name)))) return true;
  const oldest = Math.min(...BUILT.map((name) => statSync(join(root, name)).mtimeMs));
  return SOURCES.some((name) => existsSync(join(root, name)) && changedAt(join(root, name)) > oldest);
}

function build() {
  say('Building, some seconds.');
  const tool = join(root, 'node_modules/electron-vite/bin/electron-vite.js');
  const result = spawnSync(process.execPath, [tool, 'build', '--logLevel', 'warn'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (result.status !== 0) {
    say('The build failed; `npm ci` installs what it needs.');
    process.exit(1);
  }
}

/** Electron's executable; undefined if it is not there. */
function electronBinary() {
  const named = process.env.ELECTRON_EXEC_PATH;
  if (named) return named;
  const folder = join(root, 'node_modules/electron');
  const pathFile = join(folder, 'path.txt');
  if (!existsSync(pathFile)) return undefined;
  const binary = join(process.env.ELECTRON_OVERRIDE_DIST_PATH ?? join(folder, 'dist'), readFileSync(pathFile, 'utf8'));
  return existsSync(binary) ? binary : undefined;
}

/** Why the window cannot be opened, or the binary that opens it. */
function findElectron() {
  if (
    platform() === 'linux' &&
    !process.env.DISPLAY &&
    !process.env.WAYLAND_DISPLAY &&
    !process.env.ELECTRON_EXEC_PATH
  ) {
    return { missing: 'There is no display for a window' };
  }
  if (electronBinary() === undefined) {
    say("Fetching Electron's binary, once.");
    spawnSync(process.execPath, [join(root, 'node_modules/electron/install.js')], { cwd: root, stdio: 'ignore' });
  }
  const binary = electronBinary();
  return binary === undefined ? { missing: "Electron's binary is not here and could not be fetched" } : { binary };
}

function run(command, args) {
  const { ELECTRON_RUN_AS_NODE: _, ...environment } = process.env;
  // In a group of its own, so that each signal reaches it once: from us, and not from the terminal as well.
  const detached = platform() !== 'win32';
  const child = spawn(command, args, { cwd: process.cwd(), stdio: 'inherit', env: environment, detached });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => detached && child.kill(signal));
  child.once('error', (error) => {
    say(`It cannot be started: ${error.message}`);
    process.exit(1);
  });
  child.once('exit', (code) => process.exit(code ?? 1));
}

if (isStale()) build();
const { binary, missing } = findElectron();
if (binary !== undefined) {
  run(binary, [root, ...given]);
} else {
  say(`${missing}: the same app is served to your browser instead.`);
  run(process.execPath, [join(root, 'out/main/cli.js'), 'serve', '--open', ...given]);
}
