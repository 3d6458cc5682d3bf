import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { findModel } from '../../main/model-folder.ts';
import { CLI, isOneLine } from '../support/cli.ts';
import { ConnectProxy } from '../support/connect-proxy.ts';
import { filesIn } from '../support/download.ts';
import { Hub, type HubIdentity, tinyModel } from '../support/hub.ts';
import { temporaryFolder } from '../support/temporary.ts';

const TOKEN = 'hf_ThisMustNotBeSeen';
const PASSWORD = 'not-to-be-seen';
const root = temporaryFolder();
const certificate = join(root, 'ca.pem');
let identity: HubIdentity;
let hub: Hub;
let proxy: ConnectProxy;
let count = 0;
let folder: string;

beforeAll(async () => {
  // Names that no resolver knows (RFC 6761): whoever reaches them came through the proxy.
  const names = { hub: 'hub.test', cdn: 'cdn.test' };
  const made = await generate([{ name: 'commonName', value: names.hub }], {
    extensions: [
      { name: 'basicConstraints', cA: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: names.hub },
          { type: 2, value: names.cdn },
        ],
      },
    ],
  });
  identity = { ...names, key: made.private, cert: made.cert };
  writeFileSync(certificate, made.cert);
});
beforeEach(async () => {
  count += 1;
  folder = join(root, `model-${count}`);
  hub = await Hub.start(tinyModel(), identity);
  hub.token = TOKEN;
  proxy = await ConnectProxy.start();
});
afterEach(async () => {
  await proxy.close();
  await hub.close();
});

function start(environment: NodeJS.ProcessEnv) {
  const { HTTPS_PROXY: _a, https_proxy: _b, NO_PROXY: _c, no_proxy: _d, ALL_PROXY: _e, ...inherited } = process.env;
  const child = spawn(
    process.execPath,
    [CLI, 'download', '--model', hub.model, '--variant', 'q4', '--destination', folder],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...inherited,
        HF_ENDPOINT: hub.endpoint,
        HF_TOKEN: TOKEN,
        TOKENSCOPE_DATA_DIR: join(root, 'data'),
        NODE_EXTRA_CA_CERTS: certificate,
        ...environment,
      },
    },
  );
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const end = once(child, 'close').then(([code]) => {
    expect(stderr).not.toContain(TOKEN);
    expect(stderr).not.toContain(PASSWORD);
    return { code: code as number | null, stderr };
  });
  return { child, end };
}

test('a model comes over https through the proxy, encrypted from end to end, and the token goes to the hub alone', async () => {
  const { code, stderr } = await start({ HTTPS_PROXY: `http://me:${PASSWORD}@${proxy.host}` }).end;
  expect({ code, stderr }).toMatchObject({ code: 0 });
  await findModel(folder);
  for (const path of filesIn(folder).filter((path) => path !== 'model.lock.json')) {
    expect(readFileSync(join(folder, path)).equals(hub.files.get(path)!.content)).toBe(true);
  }
  expect(new Set(proxy.asked)).toEqual(new Set([new URL(hub.endpoint).host, new URL(hub.cdn).host]));
  expect(new Set(proxy.logins)).toEqual(new Set([`Basic ${Buffer.from(`me:${PASSWORD}`).toString('base64')}`]));
  expect(hub.requests.every(({ server, authorization }) => (server === 'hub') === (authorization !== undefined))).toBe(
    true,
  );
});

test.each([
  [407, /the proxy 127\.0\.0\.1:\d+ wants a name and a password \(407\)/],
  [403, /the proxy 127\.0\.0\.1:\d+ does not connect to hub\.test:\d+ \(403\)/],
  // What the proxy answers is not taken for the hub's: a redirect is not followed.
  [302, /does not connect to hub\.test:\d+ \(302\)/],
])('a proxy that answers %i instead of connecting is named', async (status, line) => {
  proxy.instead = status;
  const { code, stderr } = await start({ https_proxy: `http://${proxy.host}` }).end;
  expect(code).toBe(1);
  expect(stderr).toMatch(line);
  expect(isOneLine(stderr)).toBe(true);
  expect(hub.requests).toEqual([]);
});

test.each([
  ['socks5://127.0.0.1:1080', 'socks5:// is not supported'],
  ['http://[', 'it is not an address'],
])('a proxy that cannot be used is refused: %s', async (named, reason) => {
  const { code, stderr } = await start({ HTTPS_PROXY: named }).end;
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(reason) });
  expect(isOneLine(stderr)).toBe(true);
});

test('a proxy that never answers does not keep Ctrl-C waiting', async () => {
  proxy.instead = 'silence';
  const { child, end } = start({ HTTPS_PROXY: `http://${proxy.host}` });
  proxy.onAsked = () => child.kill('SIGINT');
  expect(await end).toMatchObject({ code: 130 });
});

test('a certificate that nobody vouches for is refused, with what to do', async () => {
  const { code, stderr } = await start({ HTTPS_PROXY: `http://${proxy.host}`, NODE_EXTRA_CA_CERTS: '' }).end;
  expect(code).toBe(1);
  expect(stderr).toMatch(/the certificate of hub\.test:\d+ is not trusted .*NODE_EXTRA_CA_CERTS/);
});
