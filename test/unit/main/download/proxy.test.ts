import { afterEach, expect, test, vi } from 'vitest';
import { proxyFor } from '../../../../main/download/proxy.ts';

const of = (address: string) => proxyFor(new URL(address))?.href;
afterEach(() => vi.unstubAllEnvs());

test('the proxy of the environment is for https, but not for this machine, nor for what NO_PROXY names', () => {
  for (const name of ['ALL_PROXY', 'all_proxy', 'https_proxy', 'no_proxy']) vi.stubEnv(name, '');
  vi.stubEnv('HTTPS_PROXY', 'http://proxy.test:3128');
  vi.stubEnv('NO_PROXY', 'inner.test,.inner.test');
  expect(of('https://hub.test/x')).toBe('http://proxy.test:3128/');
  expect(of('https://inner.test/x')).toBeUndefined();
  expect(of('https://deep.inner.test/x')).toBeUndefined();
  expect(of('http://127.0.0.1:8080/')).toBeUndefined();
  expect(of('https://localhost:8080/')).toBeUndefined();
  vi.stubEnv('HTTPS_PROXY', '');
  expect(of('https://hub.test/x')).toBeUndefined();
  vi.stubEnv('ALL_PROXY', 'http://other.test:1');
  expect(of('https://hub.test/x')).toBe('http://other.test:1/');
});
