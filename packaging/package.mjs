// `npm run package`: the installers of this system. `-- --layout`: only the folder they are made of, for Linux, around a
// placeholder in Electron's place; it needs no network. `--output DIR` instead of dist, `--no-build` takes out/ as it is.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { arch, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Arch, build, Platform } from 'electron-builder';
import config from '../electron-builder.mjs';
import { writePlaceholder } from './placeholder.mjs';

const root = resolve(import.meta.dirname, '..');
const { values } = parseArgs({
  options: {
    layout: { type: 'boolean', default: false },
    output: { type: 'string' },
    'no-build': { type: 'boolean', default: false },
  },
});

if (!values['no-build']) {
  const tool = join(root, 'node_modules/electron-vite/bin/electron-vite.js');
  const { status } = spawnSync(process.execPath, [tool, 'build', '--logLevel', 'warn'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}

const directories = {
  ...config.directories,
  ...(values.output === undefined ? {} : { output: resolve(values.output) }),
};

async function layOut() {
  const placeholder = mkdtempSync(join(tmpdir(), 'tokenscope-electron-'));
  try {
    writePlaceholder(placeholder);
    await build({
      projectDir: root,
      targets: Platform.LINUX.createTarget('dir', arch() === 'arm64' ? Arch.arm64 : Arch.x64),
      config: { ...config, directories, electronDist: placeholder },
    });
  } finally {
    rmSync(placeholder, { recursive: true, force: true });
  }
}

try {
  if (values.layout) await layOut();
  else await build({ projectDir: root, config: { ...config, directories } });
} catch (error) {
  process.stderr.write(`The package was not made: ${error instanceof Error ? error.message : String(error)}\n`);
  if (['EAI_AGAIN', 'ENOTFOUND', 'ECONNREFUSED', 'ETIMEDOUT', 'ENETUNREACH'].includes(error?.code)) {
    process.stderr.write(
      'Electron and its packers are fetched the first time. `npm run package -- --layout` needs no network.\n',
    );
  }
  process.exitCode = 1;
}
