import { readFile, realpath, stat } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';

/** What the built page consists of. A file of another kind is not ours to serve. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.ttf': 'font/ttf',
  '.woff2': 'font/woff2',
};

export type StaticAnswer =
  | { status: 200; type: string; content: Uint8Array<ArrayBuffer> }
  /** 400: the path is none. 404: there is no such file, or none inside the folder. */
  | { status: 400 | 404 };

/**
 * The file of a URL's path inside a folder: the path as it stands in the URL, still encoded, without query. Whatever
 * would lead out of the folder is answered as if it did not exist: dots, encoded or not, absolute paths, links.
 */
export async function readStaticFile(root: string, urlPath: string): Promise<StaticAnswer> {
  const path = decodePath(urlPath);
  if (path === undefined) return { status: 400 };
  const type = TYPES[extname(path)];
  if (type === undefined) return { status: 404 };
  try {
    const base = await realpath(root);
    // Resolved after the links in it: a link that leads out is caught like any other way out.
    const file = await realpath(join(base, path));
    if (!file.startsWith(base + sep) || !(await stat(file)).isFile()) return { status: 404 };
    const content = await readFile(file);
    return { status: 200, type, content };
  } catch {
    return { status: 404 };
  }
}

/** `/` is the page itself. Undefined for what no link of ours contains. */
function decodePath(urlPath: string): string | undefined {
  let path: string;
  try {
    path = decodeURIComponent(urlPath);
  } catch {
    return undefined;
  }
  if (!path.startsWith('/') || /[\0\\]/.test(path)) return undefined;
  if (path.split('/').includes('..')) return undefined;
  return path === '/' ? '/index.html' : path;
}
