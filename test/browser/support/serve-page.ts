import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import react from '@vitejs/plugin-react';
import { build } from 'vite';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.ttf': 'font/ttf',
  '.json': 'application/json',
};
/** As the app's own pages are served. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'";

const root = join(import.meta.dirname, 'page');
/** Builds the renderer with the memory host as it is shipped. */
async function buildPage(out: string): Promise<void> {
  await asProduction(() =>
    build({
      root,
      configFile: false,
      logLevel: 'error',
      plugins: [react()],
      build: { outDir: out, emptyOutDir: true, target: 'chrome140', assetsInlineLimit: 0 },
    }),
  );
}

/** Tests run with NODE_ENV=test, which would build React for development. */
async function asProduction<T>(work: () => Promise<T>): Promise<T> {
  const before = process.env['NODE_ENV'];
  process.env['NODE_ENV'] = 'production';
  try {
    return await work();
  } finally {
    process.env['NODE_ENV'] = before;
  }
}

export interface PageServer {
  url: string;
  /** Where the page was built. */
  folder: string;
  /** A file that the page may fetch. */
  provide(path: string, content: string | Uint8Array): void;
  close(): Promise<void>;
}

export async function servePage(): Promise<PageServer> {
  // A folder for each server: test files run side by side.
  const out = await mkdtemp(join(tmpdir(), 'tokenscope-page-'));
  await buildPage(out);
  const provided = new Map<string, string | Uint8Array>([
    ['/live-run.json', await readFile(join(import.meta.dirname, '../../../records/live-run.json'))],
  ]);
  const server: Server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://page').pathname;
    const send = (content: string | Uint8Array): void => {
      response.writeHead(200, {
        'content-type': TYPES[extname(path === '/' ? '/index.html' : path)] ?? 'application/octet-stream',
        'content-security-policy': POLICY,
      });
      response.end(content);
    };
    const known = provided.get(path);
    if (known !== undefined) return send(known);
    readFile(join(out, path === '/' ? 'index.html' : path.replaceAll('..', ''))).then(send, () => {
      response.writeHead(404);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    folder: out,
    url: `http://127.0.0.1:${address.port}/`,
    provide: (path, content) => void provided.set(path, content),
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      await rm(out, { recursive: true, force: true });
    },
  };
}
