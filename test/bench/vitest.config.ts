import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

/** Benches print figures and assert no times; they are never part of the tests. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['test/bench/*.bench.ts'],
    testTimeout: 3_600_000,
    fileParallelism: false,
    disableConsoleIntercept: true,
  },
});
