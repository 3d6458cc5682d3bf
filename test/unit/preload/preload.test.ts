import { contextBridge, ipcRenderer, webUtils } from 'electron';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { channelOf, EVENT_CHANNEL, HOST_METHODS, SUBSCRIBE_CHANNEL } from '../../../shared/channels.ts';
import type { HostFile, ProfilerHost } from '../../../shared/host.ts';

vi.mock('electron', async () => (await import('../../support/electron-mock.ts')).electronMock());

let host: ProfilerHost;
beforeAll(async () => {
  await import('../../../preload/index.ts');
  expect(contextBridge.exposeInMainWorld).toHaveBeenCalledOnce();
  const [name, exposed] = vi.mocked(contextBridge.exposeInMainWorld).mock.calls[0]!;
  expect(name).toBe('tokenscope');
  host = exposed;
});
beforeEach(() => {
  vi.mocked(ipcRenderer.invoke).mockReset().mockResolvedValue({ ok: true, value: 'value' });
  vi.mocked(webUtils.getPathForFile).mockReset();
});

test('the page has the methods of the host and nothing else', () => {
  expect(Object.keys(host).toSorted()).toEqual([...HOST_METHODS, 'subscribe'].toSorted());
});

test('events arrive without the event of Electron, until the page has heard enough', () => {
  const heard = vi.fn();
  const stop = host.subscribe(heard);
  expect(ipcRenderer.invoke).toHaveBeenCalledExactlyOnceWith(SUBSCRIBE_CHANNEL);
  host.subscribe(() => undefined);
  expect(ipcRenderer.invoke).toHaveBeenCalledOnce();
  const event = { type: 'notice', kind: 'info', message: 'x' };
  ipcRenderer.emit(EVENT_CHANNEL, { sender: ipcRenderer, ports: [] }, { type: 'event', event });
  expect(heard.mock.calls).toEqual([[event]]);
  stop();
  ipcRenderer.emit(EVENT_CHANNEL, {}, { type: 'event', event });
  expect(heard).toHaveBeenCalledOnce();
});

test('state is its value, or an error of words', async () => {
  expect(await host.getState()).toBe('value');
  vi.mocked(ipcRenderer.invoke).mockResolvedValueOnce({ ok: false, error: { message: 'refused' } });
  await expect(host.getState()).rejects.toThrow('refused');
});

test('the draft of a run comes over the channel of the events', async () => {
  const draft = host.attachRun();
  const [channel, request] = vi.mocked(ipcRenderer.invoke).mock.lastCall!;
  expect(channel).toBe(channelOf('attachRun'));
  ipcRenderer.emit(EVENT_CHANNEL, {}, { type: 'attached', request: 999, draft: 'another' });
  ipcRenderer.emit(EVENT_CHANNEL, {}, { type: 'attached', request, draft: 'mine' });
  expect(await draft).toBe('mine');
});

describe('a dropped file', () => {
  const file = new File(['{}'], 'a.json');

  test('goes as the path that Electron knows', async () => {
    vi.mocked(webUtils.getPathForFile).mockReturnValue('/x/a.json');
    await host.openRecord({ by: 'file', file });
    await host.addModel({ by: 'file', file });
    expect(vi.mocked(ipcRenderer.invoke).mock.calls).toEqual([
      [channelOf('openRecord'), { by: 'path', path: '/x/a.json' }],
      [channelOf('addModel'), { by: 'path', path: '/x/a.json' }],
    ]);
  });

  test.each([
    ['that a script made', file],
    ['that is none', { name: 'a.json', size: 2, slice: () => new Blob(['{}']) } satisfies HostFile],
  ])('%s goes as its bytes', async (_, made) => {
    vi.mocked(webUtils.getPathForFile).mockReturnValue('');
    await host.openRecord({ by: 'file', file: made });
    const bytes = new TextEncoder().encode('{}');
    expect(ipcRenderer.invoke).toHaveBeenCalledExactlyOnceWith(channelOf('openRecord'), {
      by: 'bytes',
      name: 'a.json',
      bytes,
    });
  });
});

test('what the page asks goes as it is, and a path that it makes up is no dropped file', async () => {
  await host.openRecord({ by: 'recent', id: 'r' });
  await host.saveRecord({ id: 'a', as: true });
  await host.closeRecord('a');
  expect(vi.mocked(ipcRenderer.invoke).mock.calls).toEqual([
    [channelOf('openRecord'), { by: 'recent', id: 'r' }],
    [channelOf('saveRecord'), { id: 'a', as: true }],
    [channelOf('closeRecord'), 'a'],
  ]);
});

test('a path that the page itself names is not sent, however it comes', async () => {
  const sources = [
    { by: 'path', path: '/etc/passwd' },
    { by: 'sample', path: '/etc/passwd' },
    { by: 'recent', id: 'one', path: '/etc/passwd' },
  ] as const;
  for (const source of sources) await host.openRecord(source as Parameters<typeof host.openRecord>[0]);
  const sent = vi.mocked(ipcRenderer.invoke).mock.calls.map(([, params]: unknown[]) => params);
  expect(sent).toEqual([undefined, { by: 'sample' }, { by: 'recent', id: 'one' }]);
});
