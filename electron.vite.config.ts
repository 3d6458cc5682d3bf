import { defineConfig } from 'electron-vite';

export default defineConfig({
  main: {
    build: {
      // The command line also runs on plain Node 20, the lowest version we support.
      target: 'node20.19',
      outDir: 'out/main',
      rolldownOptions: {
        input: {
          cli: 'main/cli.ts',
          worker: 'main/inference/worker.ts',
        },
      },
    },
  },
});
