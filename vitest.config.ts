import { defineConfig } from 'vitest/config';
import { sourceHash } from './electron.vite.config.ts';

export default defineConfig({
  define: { __SOURCE_SHA256__: JSON.stringify(sourceHash()) },
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    // The native runtime must not live in worker threads: ending one mid-run aborts the process.
    pool: 'forks',
    // Whether memory is given back can only be told after a collection.
    execArgv: ['--expose-gc'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
