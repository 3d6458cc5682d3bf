import type { CustomScheme, Protocol } from 'electron';
import { only } from '../only.ts';
import { lifecycle } from './lifecycle.ts';

/**
 * A browser that was started knows no schemes of ours, so a page of `app://host/` really lives at
 * `https://host.app.stand-in.invalid/` (RFC 2606: a name that nobody has). No request for it leaves the browser: each is
 * answered by the handler of the scheme, and everything that main process code gets to see is translated back.
 */
const DOMAIN = '.stand-in.invalid';

type Handler = (request: Request) => Response | Promise<Response>;
const schemes = new Map<string, CustomScheme>();
const handlers = new Map<string, Handler>();

export const protocol = only('protocol', {
  registerSchemesAsPrivileged(custom) {
    if (lifecycle.ready) throw new Error('protocol.registerSchemesAsPrivileged should be called before app is ready');
    for (const entry of custom) {
      if (entry.privileges?.standard !== true) throw new Error('the stand-in has standard schemes only');
      schemes.set(entry.scheme, entry);
    }
  },
  handle(scheme, handler) {
    if (!lifecycle.ready) throw new Error('protocol.handle cannot be used before app is ready');
    if (!schemes.has(scheme)) throw new Error(`the stand-in handles privileged schemes only, and ${scheme} is none`);
    if (handlers.has(scheme)) throw new Error(`Failed to register protocol: ${scheme}`);
    handlers.set(scheme, handler);
  },
} satisfies Pick<Protocol, 'registerSchemesAsPrivileged' | 'handle'>);

/** The address as the browser knows it. */
export function toBrowserUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const scheme = parsed?.protocol.slice(0, -1) ?? '';
  const entry = schemes.get(scheme);
  if (parsed === undefined || entry === undefined) return url;
  const prefix = entry.privileges?.secure === true ? 'https' : 'http';
  return `${prefix}://${parsed.host}.${scheme}${DOMAIN}${url.slice(`${scheme}://${parsed.host}`.length)}`;
}

/** The address as the app knows it. */
export function toAppUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.hostname.endsWith(DOMAIN) !== true) return url;
  const name = parsed.hostname.slice(0, -DOMAIN.length);
  const dot = name.lastIndexOf('.');
  const rest = url.slice(url.indexOf(parsed.hostname) + parsed.hostname.length);
  return `${name.slice(dot + 1)}://${name.slice(0, dot)}${rest}`;
}

/** All requests that are ours to answer, for the browser to hold back. */
export const OUR_REQUESTS = `*://*${DOMAIN}/*`;

/** What the scheme's handler answers; undefined for an address of no scheme of ours. */
export async function answerRequest(
  url: string,
  request: { method: string; headers: Record<string, string>; body: string | undefined },
): Promise<Response | undefined> {
  const ours = toAppUrl(url);
  const handler = handlers.get(new URL(ours).protocol.slice(0, -1));
  if (ours === url || handler === undefined) return undefined;
  const { method, headers, body } = request;
  const hasBody = body !== undefined && method !== 'GET' && method !== 'HEAD';
  return handler(new Request(ours, { method, headers, ...(hasBody ? { body } : {}) }));
}
