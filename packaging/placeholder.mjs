import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What Electron's binary has around its switches: @electron/fuses looks for it, a version and a length follow. */
const FUSE_SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
const FUSE_VERSION = 1;
/** A switch of a fresh Electron that is on, by the character it stands there as. */
const ON = '1';
const FUSES = 9;

/**
 * A folder in the form of Electron's Linux distribution, without Electron: its files by name, and a binary that says so
 * and has switches to turn. Enough for electron-builder to lay out a package where nothing can be fetched.
 */
export function writePlaceholder(folder) {
  mkdirSync(join(folder, 'locales'), { recursive: true });
  mkdirSync(join(folder, 'resources'), { recursive: true });
  const binary = join(folder, 'electron');
  writeFileSync(
    binary,
    Buffer.concat([
      Buffer.from('#!/bin/sh\necho "This is the layout of a package without Electron." >&2\nexit 1\n'),
      Buffer.from(FUSE_SENTINEL),
      Buffer.from([FUSE_VERSION, FUSES]),
      Buffer.from(ON.repeat(FUSES)),
    ]),
  );
  chmodSync(binary, 0o755);
  writeFileSync(join(folder, 'LICENSE'), "Electron's licence stands here.\n");
  writeFileSync(join(folder, 'LICENSES.chromium.html'), "<p>The licences of Electron's parts stand here.</p>\n");
  writeFileSync(join(folder, 'locales/en-US.pak'), '');
}
