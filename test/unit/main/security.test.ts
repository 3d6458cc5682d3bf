import { app, shell } from 'electron';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { APP_URL, isAppUrl } from '../../../main/app-url.ts';
import { denyPermissions, guardPages, isExternalUrl } from '../../../main/security.ts';
import { FakeContents } from '../../support/electron-mock.ts';

vi.mock('electron', async () => (await import('../../support/electron-mock.ts')).electronMock());

function guarded(): FakeContents {
  const contents = new FakeContents();
  app.emit('web-contents-created', {}, contents);
  return contents;
}
/** Whether the page was kept from what the event tells of. */
function prevented(contents: FakeContents, event: string, details: Record<string, unknown> = {}): boolean {
  let stopped = false;
  contents.emit(event, { ...details, preventDefault: () => (stopped = true) });
  return stopped;
}

beforeEach(() => {
  app.removeAllListeners();
  vi.clearAllMocks();
  guardPages(app);
});

describe('a page', () => {
  test.each([
    'https://huggingface.co/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    'app://elsewhere/index.html',
    'app://tokenscope/other.html',
    'app://tokenscope.evil.example/index.html',
    'about:blank',
    '',
  ])('does not go to %s', (url) => {
    expect(prevented(guarded(), 'will-navigate', { url })).toBe(true);
  });

  test('may be loaded again', () => {
    expect(prevented(guarded(), 'will-navigate', { url: APP_URL })).toBe(false);
  });

  test('has no frames that go anywhere, follows no redirect, embeds no other page', () => {
    const contents = guarded();
    expect(prevented(contents, 'will-frame-navigate', { url: APP_URL, isMainFrame: false })).toBe(true);
    expect(prevented(contents, 'will-redirect', { url: APP_URL })).toBe(true);
    expect(prevented(contents, 'will-attach-webview')).toBe(true);
  });

  test.each(['https://evil.example/', 'file:///etc/passwd', 'app://tokenscope/index.html', 'javascript:alert(1)', 'x'])(
    'opens no window for %s, and nothing outside',
    (url) => {
      expect(guarded().openHandler?.({ url })).toEqual({ action: 'deny' });
      expect(shell.openExternal).not.toHaveBeenCalled();
    },
  );

  test('hands a link of the list to the system, and still opens no window', () => {
    const url = 'https://huggingface.co/onnx-community';
    expect(guarded().openHandler?.({ url })).toEqual({ action: 'deny' });
    expect(shell.openExternal).toHaveBeenCalledExactlyOnceWith(url);
  });
});

test.each([
  ['https://github.com/microsoft/onnxruntime', true],
  ['http://onnxruntime.ai/docs', true],
  ['https://github.com.evil.example/', false],
  ['https://evilgithub.com/', false],
  ['https://github.com@evil.example/', false],
  ['https://user:word@github.com/', false],
  ['https://github.com:8443/', false],
  ['file://github.com/etc/passwd', false],
  ['smb://github.com/share', false],
  ['ms-msdt:github.com', false],
  ['//github.com', false],
])('%s may be opened outside: %s', (url, allowed) => {
  expect(isExternalUrl(url)).toBe(allowed);
});

test.each([
  [APP_URL, true],
  ['app://tokenscope/assets/main.js', true],
  ['app://tokenscope', true],
  ['app://tokenscope:1/index.html', false],
  ['app://other/index.html', false],
  ['https://tokenscope/index.html', false],
  ['app:tokenscope', false],
  ['', false],
])('%s is our page: %s', (url, ours) => {
  expect(isAppUrl(url)).toBe(ours);
});

describe('permissions', () => {
  function handlers() {
    const session = {
      setPermissionRequestHandler: vi.fn(),
      setPermissionCheckHandler: vi.fn(),
      setDevicePermissionHandler: vi.fn(),
      setDisplayMediaRequestHandler: vi.fn(),
    };
    denyPermissions(session as never);
    const first = (mock: ReturnType<typeof vi.fn>) => mock.mock.calls[0]?.[0] as (...values: unknown[]) => unknown;
    return {
      request: (permission: string, contents = new FakeContents()) => {
        const callback = vi.fn();
        first(session.setPermissionRequestHandler)(contents, permission, callback);
        return callback.mock.calls;
      },
      check: (permission: string, origin: string) =>
        first(session.setPermissionCheckHandler)(new FakeContents(), permission, origin),
      device: first(session.setDevicePermissionHandler),
      display: first(session.setDisplayMediaRequestHandler),
    };
  }

  test.each(['media', 'geolocation', 'notifications', 'clipboard-read', 'openExternal', 'fileSystem', 'unknown'])(
    '%s is denied, asked for or looked up',
    (permission) => {
      const { request, check } = handlers();
      expect(request(permission)).toEqual([[false]]);
      expect(check(permission, 'app://tokenscope/')).toBe(false);
    },
  );

  test('copying is the one that our own page has, and no other', () => {
    const { request, check } = handlers();
    expect(request('clipboard-sanitized-write')).toEqual([[true]]);
    expect(check('clipboard-sanitized-write', 'app://tokenscope/')).toBe(true);
    expect(request('clipboard-sanitized-write', new FakeContents(2, 'https://evil.example/'))).toEqual([[false]]);
    expect(check('clipboard-sanitized-write', 'https://evil.example')).toBe(false);
  });

  test('devices and screens are denied', () => {
    const { device, display } = handlers();
    expect(device({})).toBe(false);
    const callback = vi.fn();
    display({}, callback);
    expect(callback).toHaveBeenCalledWith({});
  });
});
