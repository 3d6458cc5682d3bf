import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { protocol } from 'electron';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { answerAppRequest, registerAppScheme, serveAppProtocol } from '../../../main/app-protocol.ts';
import { readStaticFile } from '../../../main/static-files.ts';
import { temporaryFolder } from '../../support/profiler.ts';

vi.mock('electron', async () => (await import('../../support/electron-mock.ts')).electronMock());

let root: string;
beforeAll(() => {
  const folder = temporaryFolder();
  root = join(folder, 'renderer');
  mkdirSync(join(root, 'assets'), { recursive: true });
  mkdirSync(join(folder, 'renderer-other'));
  writeFileSync(join(root, 'index.html'), 'page');
  writeFileSync(join(root, 'assets', 'ä b.js'), 'script');
  writeFileSync(join(folder, 'secret.json'), 'secret');
  writeFileSync(join(folder, 'renderer-other', 'x.js'), 'secret');
  symlinkSync(join(folder, 'secret.json'), join(root, 'link.json'));
  symlinkSync(folder, join(root, 'up'));
  // A neighbour whose path begins like ours.
  symlinkSync(join(folder, 'renderer-other'), join(root, 'beside'));
  symlinkSync(join(root, 'index.html'), join(root, 'inside.html'));
});

const get = (url: string, method = 'GET') => answerAppRequest(root, { url, method });

test('the scheme is privileged enough for modules and fetch, and for nothing that passes by the policy', () => {
  registerAppScheme();
  expect(protocol.registerSchemesAsPrivileged).toHaveBeenCalledExactlyOnceWith([
    { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ]);
  serveAppProtocol(root);
  expect(protocol.handle).toHaveBeenCalledExactlyOnceWith('app', expect.any(Function));
});

describe('a request', () => {
  test('for a file of the page is answered with its type and the policy', async () => {
    const response = await get('app://tokenscope/index.html');
    expect([response.status, await response.text()]).toEqual([200, 'page']);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('may encode what it names, and leave out the page', async () => {
    expect(await (await get('app://tokenscope/assets/%C3%A4%20b.js?x#y')).text()).toBe('script');
    expect(await (await get('app://tokenscope/')).text()).toBe('page');
    expect(await (await get('app://tokenscope')).text()).toBe('page');
    expect(await (await get('app://tokenscope/inside.html')).text()).toBe('page');
  });

  test('that only wants to look gets no body', async () => {
    const response = await get('app://tokenscope/index.html', 'HEAD');
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  test.each([
    ['app://elsewhere/index.html', 'GET', 404],
    ['app://tokenscope/index.html', 'POST', 405],
    ['app://tokenscope/../secret.json', 'GET', 404],
    ['app://tokenscope/%2e%2e/secret.json', 'GET', 404],
    ['app://tokenscope/..%2fsecret.json', 'GET', 400],
    ['app://tokenscope/%00', 'GET', 400],
    ['app://tokenscope/link.json', 'GET', 404],
  ])('%s %s is answered with %d %s', async (url, method, status) => {
    const response = await get(url, method);
    expect([response.status, await response.text()]).toEqual([status, '']);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  });
});

test.each([
  '/../secret.json',
  '/%2e%2e/secret.json',
  '/%2E%2E%2Fsecret.json',
  '/assets/..%2f..%2fsecret.json',
  '/..%5csecret.json',
  '/assets/../../secret.json',
  '/../renderer-other/x.js',
  '/%2fetc/passwd',
  '//etc/passwd',
  '/link.json',
  '/up/secret.json',
  '/beside/x.js',
  '/up/renderer/../secret.json',
  '/index.html%00.js',
  '/index.html/',
  '/index.html/x.js',
  '/assets',
  '/%',
  'index.html',
  '',
  `/${'a'.repeat(5000)}.js`,
])('the path %s leads nowhere', async (path) => {
  const answer = await readStaticFile(root, path);
  expect([400, 404]).toContain(answer.status);
  expect(answer).not.toHaveProperty('content');
});
