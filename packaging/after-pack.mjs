import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { extractFile, listPackage, statFile } from '@electron/asar';
import { Arch } from 'electron-builder';

/** The file of a program that only a window needs: they are read from the archive, whose integrity Electron checks. */
const ONLY_IN_ARCHIVE = new Set(['out/main/index.js', 'out/preload/index.cjs']);

/**
 * Puts the code beside the archive as well. Electron's main process and page are loaded from app.asar and checked; the
 * inference worker and the command line are started by a path, as ECMAScript modules, whose imports are looked for on
 * the disk. `app.asar.unpacked` becomes a complete tree for them; only scripts and JSON are there twice.
 */
export async function afterPack({ appOutDir, packager, arch, electronPlatformName }) {
  const resources = packager.getResourcesDir(appOutDir);
  const archive = join(resources, 'app.asar');
  const disk = `${archive}.unpacked`;
  for (const listed of listPackage(archive, { isPack: false })) {
    const path = listed.replaceAll('\\', '/').replace(/^\//, '');
    const entry = statFile(archive, path);
    if ('files' in entry || 'link' in entry || entry.unpacked || ONLY_IN_ARCHIVE.has(path)) continue;
    const target = join(disk, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, extractFile(archive, path));
  }
  requireNatives(disk, electronPlatformName, Arch[arch]);
}

/** npm installs the native part of resvg for its own machine only: a package for another would come without it. */
function requireNatives(disk, platform, arch) {
  const abi = { linux: '-gnu', win32: '-msvc' }[platform] ?? '';
  const needed = [
    `onnxruntime-node/bin/napi-v6/${platform}/${arch}/onnxruntime_binding.node`,
    `@resvg/resvg-js-${platform}-${arch}${abi}/resvgjs.${platform}-${arch}${abi}.node`,
  ];
  const missing = needed.filter((path) => !existsSync(join(disk, 'node_modules', path)));
  if (missing.length > 0) {
    throw new Error(
      `not installed for ${platform} ${arch}: ${missing.join(', ')}. Build the package on that system, or fetch its ` +
        `natives with npm ci --os ${platform} --cpu ${arch}`,
    );
  }
}
