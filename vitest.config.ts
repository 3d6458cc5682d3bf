import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // The native runtime must not live in worker threads: ending one mid-run aborts the process.
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
