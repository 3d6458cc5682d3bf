import { ipcMain } from 'electron';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { SAMPLE_RECORD } from '../../../main/app-paths.ts';
import { answerWindow, type Ipc, isTrustedSender } from '../../../main/ipc.ts';
import { channelOf, EVENT_CHANNEL, HOST_METHODS, SUBSCRIBE_CHANNEL } from '../../../shared/channels.ts';
import type { AppState } from '../../../shared/host.ts';
import { FakeContents } from '../../support/electron-mock.ts';
import { longPlan, openTestProfiler, type TestProfiler } from '../../support/profiler.ts';

/** An answer, whose parts a test looks at as it needs them. */
interface Answer {
  ok: boolean;
  value: { id: string } & AppState;
  error: { message: string };
}
vi.mock('electron', async () => (await import('../../support/electron-mock.ts')).electronMock());

const { handlers } = ipcMain as unknown as {
  handlers: Map<string, (event: unknown, ...params: unknown[]) => Promise<Answer>>;
};
const window = new FakeContents();
let opened: TestProfiler;
let ipc: Ipc;

beforeAll(async () => {
  opened = await openTestProfiler();
  ipc = answerWindow(opened.profiler, (contents) => contents === (window as unknown));
});
afterAll(() => opened.profiler.close());

function invoke(channel: string, params?: unknown, event: Record<string, unknown> = {}) {
  const all = { sender: window, senderFrame: window.mainFrame, ...event };
  return handlers.get(channel)?.(all, ...(params === undefined ? [] : [params]));
}
const ask = (method: (typeof HOST_METHODS)[number], params?: unknown) => invoke(channelOf(method), params);

test('there is a channel for each method and one to be told of events, and no other', () => {
  expect([...handlers.keys()].toSorted()).toEqual([...HOST_METHODS.map(channelOf), SUBSCRIBE_CHANNEL].toSorted());
});

describe('is refused on every channel', () => {
  const stranger = new FakeContents(2);
  test.each([
    ['a frame that is gone', { senderFrame: null }],
    ['a frame inside the page', { senderFrame: { url: window.url } }],
    ['a page from elsewhere', { sender: new FakeContents(3, 'https://evil.example/') }],
    ['another window of ours', { sender: stranger, senderFrame: stranger.mainFrame }],
  ])('%s', async (_, event) => {
    for (const channel of handlers.keys()) {
      expect(await invoke(channel, undefined, event), channel).toMatchObject({ ok: false, error: { code: 'message' } });
    }
    expect(opened.profiler.getState()).toMatchObject({ run: null, tabs: [] });
  });
});

test('a main frame of another address is not trusted', () => {
  for (const url of ['https://tokenscope/', 'app://other/', 'file:///index.html', '']) {
    const contents = new FakeContents(4, url);
    expect(isTrustedSender(contents.mainFrame as never, contents as never)).toBe(false);
  }
});

describe('bad payloads are answers in words', () => {
  test.each([
    ['readRecord', undefined],
    ['readRecord', { id: 'x' }],
    ['readRecord', 'x'.repeat(1000)],
    ['openRecord', { by: 'url', url: 'file:///etc/passwd' }],
    ['openRecord', { by: 'path' }],
    ['openRecord', { by: 'path', path: '' }],
    ['openRecord', { by: 'path', path: SAMPLE_RECORD, more: 1 }],
    ['openRecord', { by: 'bytes', name: 'x', bytes: [1, 2, 3] }],
    ['saveRecord', { id: 'x', as: false, path: '/etc/passwd' }],
    ['exportFile', { id: 'x', format: 'exe', scale: 2, theme: 'dark' }],
    ['exportFile', { id: 'x', format: 'png', scale: 2, theme: 'dark', path: '/etc/passwd' }],
    ['exportFile', { id: 'no such tab', format: 'png', scale: 2, theme: 'dark' }],
    ['copyPicture', { id: 'x', scale: 1e9, theme: 'dark' }],
    ['startRun', { model: 'demo' }],
    ['startRun', { model: 'demo', plan: longPlan(), folder: '/' }],
    ['addModel', { by: 'file', file: {} }],
    ['getState', 'something'],
    ['cancelRun', null],
    ['updateSettings', { theme: 'javascript:' }],
    ['attachRun', 'one'],
    ['synthesizeModel', 'no-such-shape'],
  ] as const)('%s with %j', async (method, params) => {
    const outcome = (await ask(method, params))!;
    expect(outcome).toMatchObject({ ok: false, error: { message: expect.any(String) } });
    expect(outcome.error.message).not.toContain('    at ');
    expect(opened.profiler.getState()).toMatchObject({ run: null, tabs: [] });
  });

  test('more than one parameter is none of ours', async () => {
    const event = { sender: window, senderFrame: window.mainFrame };
    expect(await handlers.get(channelOf('getState'))?.(event, undefined, 'more')).toMatchObject({ ok: false });
  });
});

test('a window that asks is answered; one that follows is told of events in order, and nothing once it is forgotten', async () => {
  expect(await ask('getState')).toMatchObject({ ok: true, value: { version: '0.0.0' } });
  await invoke(SUBSCRIBE_CHANNEL);
  const outcome = await ask('openRecord', { by: 'path', path: SAMPLE_RECORD });
  expect(window.sent.map(([channel]) => channel)).toEqual([EVENT_CHANNEL]);
  expect(window.sent[0]?.[1]).toMatchObject({ type: 'event', event: { type: 'state' } });
  expect(await ask('readRecord', outcome!.value.id)).toMatchObject({ ok: true, value: { valid: true } });

  // The draft takes its place among the events.
  await ask('attachRun', 7);
  expect(window.sent.at(-1)).toEqual([EVENT_CHANNEL, { type: 'attached', request: 7, draft: undefined }]);

  // A page that is loaded again follows once, not twice.
  await invoke(SUBSCRIBE_CHANNEL);
  window.sent.length = 0;
  opened.profiler.emit({ type: 'notice', kind: 'info', message: 'one' });
  expect(window.sent).toHaveLength(1);
  ipc.forget(window as never);
  opened.profiler.emit({ type: 'notice', kind: 'info', message: 'two' });
  expect(window.sent).toHaveLength(1);
});
