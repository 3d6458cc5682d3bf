import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { extractFile, getRawHeader, listPackage } from '@electron/asar';

/** A package laid out around a placeholder in Electron's place, and what a test asks of it. */

const ROOT = join(import.meta.dirname, '../..');
/** What Electron's binary has before its switches, as the Electron documentation on fuses gives it. */
const FUSE_SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';

export interface Layout {
  /** The folder that an installer is made of. */
  readonly folder: string;
  readonly archive: string;
  /** The tree beside the archive: what plain Node and native libraries open. */
  readonly disk: string;
}

/** Lays out a package of out/ as it stands. Throws with the packager's own words if that fails. */
export function layOut(output: string): Layout {
  const script = join(ROOT, 'packaging/package.mjs');
  const result = spawnSync(process.execPath, [script, '--layout', '--no-build', '--output', output], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (result.status !== 0) throw new Error(`${result.stdout}\n${result.stderr}`);
  const name = readdirSync(output).find((entry) => entry.endsWith('-unpacked'));
  if (name === undefined) throw new Error(`no layout in ${output}`);
  const folder = join(output, name);
  const archive = join(folder, 'resources/app.asar');
  return { folder, archive, disk: `${archive}.unpacked` };
}

/** The files below a folder, relative to it, with slashes. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => statSync(join(folder, path)).isFile())
    .toSorted();
}

export interface ArchiveEntry {
  readonly unpacked?: boolean;
  readonly integrity?: { readonly algorithm: string; readonly hash: string };
  readonly files?: Readonly<Record<string, ArchiveEntry>>;
}

/** The files of an archive by path, packed into it or listed as lying beside it. */
export function archiveFiles(archive: string): Map<string, ArchiveEntry> {
  const header: ArchiveEntry = JSON.parse(getRawHeader(archive).headerString) as ArchiveEntry;
  const files = new Map<string, ArchiveEntry>();
  for (const listed of listPackage(archive, { isPack: false })) {
    const path = listed.replaceAll('\\', '/').slice(1);
    const entry = path.split('/').reduce<ArchiveEntry | undefined>((at, part) => at?.files?.[part], header);
    if (entry !== undefined && entry.files === undefined) files.set(path, entry);
  }
  return files;
}

export function readArchived(archive: string, path: string): Buffer {
  return extractFile(archive, path);
}

/** The names of the packages in a node_modules folder. */
export function packagesIn(nodeModules: string): string[] {
  return readdirSync(nodeModules)
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(nodeModules, name)).map((inner) => `${name}/${inner}`) : [name],
    )
    .toSorted();
}

/** Bytes of the files below a folder, or of a file. */
export function bytesOf(path: string): number {
  if (statSync(path).isFile()) return statSync(path).size;
  return filesBelow(path).reduce((sum, file) => sum + statSync(join(path, file)).size, 0);
}

/** Electron's switches as they stand in a binary, one character each, in the order of its fuse wire. */
export function fusesOf(binary: string): string {
  const content = readFileSync(binary);
  const at = content.indexOf(FUSE_SENTINEL) + FUSE_SENTINEL.length;
  const length = content[at + 1];
  return content.subarray(at + 2, at + 2 + (length ?? 0)).toString('latin1');
}
