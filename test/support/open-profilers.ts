import { afterEach } from 'vitest';
import { openTestProfiler, type TestProfiler } from './profiler.ts';

/** Opens profilers that are closed after each test of the file. */
export function openProfilers(): (options?: Parameters<typeof openTestProfiler>[0]) => Promise<TestProfiler> {
  const opened: TestProfiler[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(({ profiler }) => profiler.close()));
  });
  return async (options) => {
    const test = await openTestProfiler(options);
    opened.push(test);
    return test;
  };
}
