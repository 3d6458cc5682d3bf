import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';

/** SHA-256 over the names and texts of the sources that measure; see main/inference/source-hash.ts. */
export function sourceHash(): string {
  const hash = createHash('sha256');
  for (const folder of ['main/inference', 'shared']) {
    const files = readdirSync(join(import.meta.dirname, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`);
    for (const file of files.toSorted()) {
      hash
        .update(`${file}\0`)
        .update(readFileSync(join(import.meta.dirname, file)))
        .update('\0');
    }
  }
  return hash.digest('hex');
}

export default defineConfig({
  main: {
    define: { __SOURCE_SHA256__: JSON.stringify(sourceHash()) },
    build: {
      // The command line also runs on plain Node 20, the lowest version we support.
      target: 'node20.19',
      outDir: 'out/main',
      // zod in its package is some hundred files, most of them other languages: reading them costs more than all of ours.
      // The proxy's two are small and only the download needs them: in the build, the package need not carry their folders.
      externalizeDeps: { exclude: ['zod', 'https-proxy-agent', 'proxy-from-env'] },
      rolldownOptions: {
        input: {
          index: 'main/index.ts',
          cli: 'main/cli.ts',
          worker: 'main/inference/worker.ts',
          'record-worker': 'main/record-worker.ts',
        },
      },
    },
  },
  preload: {
    build: {
      outDir: 'out/preload',
      // A sandboxed preload script is one CommonJS file: it can neither import nor require what is not in it.
      externalizeDeps: false,
      rolldownOptions: {
        input: { index: 'preload/index.ts' },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: 'renderer',
    plugins: [react()],
    build: {
      outDir: 'out/renderer',
      target: 'chrome140',
      minify: true,
      // Fonts and images as files: the page's policy allows no data: addresses.
      assetsInlineLimit: 0,
      rolldownOptions: { input: 'renderer/index.html' },
    },
  },
});
