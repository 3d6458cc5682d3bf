import fc from 'fast-check';
import { ipcMain } from 'electron';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { answerWindow } from '../../../main/ipc.ts';
import { channelOf, HOST_METHODS, SUBSCRIBE_CHANNEL } from '../../../shared/channels.ts';
import { FakeContents } from '../../support/electron-mock.ts';
import { openTestProfiler, plan, type TestProfiler } from '../../support/profiler.ts';

vi.mock('electron', async () => (await import('../../support/electron-mock.ts')).electronMock());

/** So many payloads for each channel. */
const PAYLOADS = Number(process.env['FUZZ_PAYLOADS'] ?? 2000);

const { handlers } = ipcMain as unknown as {
  handlers: Map<string, (event: unknown, ...params: unknown[]) => Promise<unknown>>;
};
const window = new FakeContents();
let opened: TestProfiler;
beforeAll(async () => {
  opened = await openTestProfiler();
  answerWindow(opened.profiler, (contents) => contents === (window as unknown));
});
afterAll(() => opened.profiler.close());

/** What a page sends when all is well, for the random ones to be near it. No model of that name is there to be run. */
const NEAR = [
  { by: 'dialog' },
  { by: 'recent', id: 'x' },
  { by: 'path', path: '/nowhere/x.json' },
  { by: 'bytes', name: 'x', bytes: new Uint8Array([123, 125]) },
  { id: 'x', as: false },
  { model: 'nobody', plan: plan() },
  { theme: 'dark' },
  { reopen_tabs: true },
  'x',
  1,
];

const strange = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withTypedArray: true,
  withNullPrototype: true,
  withObjectString: true,
  withSparseArray: true,
  key: fc.oneof(fc.string(), fc.constantFrom('by', 'id', 'path', 'as', 'plan', '__proto__', 'constructor', 'then')),
});
const nearly = fc
  .tuple(fc.constantFrom(...NEAR), fc.constantFrom('by', 'id', 'path', 'bytes', 'name', 'as', 'plan', 'more'), strange)
  .map(([near, key, value]) => (typeof near === 'object' ? { ...near, [key]: value } : value));

/** An answer of the form that every window expects, and in words. */
function isAnswer(answer: unknown): boolean {
  if (answer === undefined) return true;
  if (typeof answer !== 'object' || answer === null || !('ok' in answer)) return false;
  if (answer.ok === true) return true;
  const { error } = answer as unknown as { error: { code: string; message: string } };
  return error.message.length > 0 && error.code !== 'fault' && !/\bat .*:\d+:\d+/.test(error.message);
}

test.each([...HOST_METHODS.map(channelOf), SUBSCRIBE_CHANNEL])('%s answers whatever comes', async (channel) => {
  const event = { sender: window, senderFrame: window.mainFrame };
  const answer = handlers.get(channel);
  await fc.assert(
    fc.asyncProperty(fc.oneof(strange, nearly), async (payload) => {
      const given = await answer?.(event, payload);
      if (!isAnswer(given)) throw new Error(JSON.stringify(given));
    }),
    { numRuns: PAYLOADS, seed: 1, endOnFailure: true },
  );
  // It is as it was, but for what a window may ask for.
  expect(opened.profiler.getState()).toMatchObject({ run: null, synthesis: null });
});
