import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ATTACKS, openExternally, type Outside, PLANTED } from './attacks.ts';
import { copyApp } from './support/app-copy.ts';
import type { Driver } from './support/driver.ts';
import { openApp, testFolder } from './support/open-app.ts';

const outside: Outside = { url: '', hits: [] };
const server = createServer((request, response) => {
  outside.hits.push(request.url ?? '');
  response.writeHead(200, { 'content-type': 'text/html', 'access-control-allow-origin': '*' });
  response.end('<title>outside</title>');
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  outside.url = `http://127.0.0.1:${address.port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe('the page cannot have', () => {
  let app: Driver;
  beforeAll(async () => {
    app = await openApp({ app: copyApp(join(testFolder(), 'app'), [PLANTED]) });
  });

  test.each(ATTACKS)('$name', async ({ run }) => {
    outside.hits.length = 0;
    expect(await run(app, outside)).toBe(false);
  });

  test('but what it needs: copying, links to known places, and its own files', async () => {
    expect(await app.page.evaluate(() => navigator.clipboard.writeText('copied').then(() => true))).toBe(true);
    const known = 'https://huggingface.co/onnx-community';
    expect(await openExternally(app, [known])).toEqual([known]);
    const headers = await app.page.evaluate(async () => {
      const answer = await fetch('/index.html');
      return [answer.status, answer.headers.get('content-security-policy')];
    });
    expect(headers).toEqual([200, expect.stringContaining("default-src 'none'")]);
  });
});

describe('without its guard it would have', () => {
  const holes = [...new Set(ATTACKS.flatMap(({ hole }) => hole))];
  let app: Driver;
  beforeAll(async () => {
    // One change of a line for all attacks that need it: the last of them is the most open.
    const open = [...new Map(holes.map((change) => [change.from, change])).values()].map((change) =>
      change.from === `"script-src 'self'"`
        ? { ...change, to: `"script-src 'self' * 'unsafe-inline' 'unsafe-eval'"` }
        : change,
    );
    app = await openApp({ app: copyApp(join(testFolder(), 'app'), [PLANTED, ...open]) });
  });

  test.each(ATTACKS.filter(({ hole }) => hole.length > 0))('$name', async ({ run }) => {
    outside.hits.length = 0;
    expect(await run(app, outside)).toBe(true);
  });
});
