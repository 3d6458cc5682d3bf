import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTestProfiler, plan, valueOf } from '../../support/profiler.ts';
import { temporaryFolder } from '../../support/temporary.ts';

test('a run ends, and its record is there, when its journal can be neither written nor removed', async () => {
  const dataDirectory = temporaryFolder();
  const journals = join(dataDirectory, 'journal');
  const { profiler, events } = await openTestProfiler({ dataDirectory });
  // A file in the place of its folder: refused for everybody, root as well.
  rmSync(journals, { recursive: true });
  writeFileSync(journals, '');
  valueOf(await profiler.startRun({ model: 'demo', plan: plan() }));
  const { id, notice } = await events.ended();
  expect(notice).toBeNull();
  expect(valueOf(await profiler.readRecord(id ?? '')).valid).toBe(true);
  expect(events.of('notice').map(({ message }) => message)).toEqual([
    expect.stringContaining('the run is not kept safe while it goes on'),
  ]);
  expect(profiler.getState().run).toBeNull();
  rmSync(journals);
  mkdirSync(journals);
  await profiler.close();
});
