import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'vite';

// `node bundle.mjs <folder>` bundles the stand-in: what runs in the main process, in the two worlds of a page, in a child.
await bundleStandIn(import.meta.dirname, process.argv[2]);

async function bundleStandIn(sources, folder) {
  mkdirSync(dirname(folder), { recursive: true });
  // Written elsewhere and moved: two that start at once both end with a whole bundle.
  const draft = mkdtempSync(join(dirname(folder), 'draft-'));
  const common = { configFile: false, logLevel: 'error', publicDir: false, root: sources };
  const node = (input) => ({
    ...common,
    build: {
      ssr: true,
      target: 'node20.19',
      outDir: draft,
      emptyOutDir: false,
      minify: false,
      rolldownOptions: { input, output: { format: 'es', entryFileNames: '[name].js' } },
    },
  });
  const page = (name) => ({
    ...common,
    build: {
      target: 'chrome140',
      outDir: draft,
      emptyOutDir: false,
      minify: false,
      lib: {
        entry: join(sources, 'page', `${name}.ts`),
        formats: ['iife'],
        name: 'standIn',
        fileName: () => `${name}.js`,
      },
    },
  });
  await build(node({ main: join(sources, 'main/main.ts'), child: join(sources, 'main/child.ts') }));
  await build(page('isolated-world'));
  await build(page('main-world'));
  try {
    renameSync(draft, folder);
  } catch {
    // Another one was faster.
    rmSync(draft, { recursive: true, force: true });
  }
}
