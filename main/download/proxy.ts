import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { HttpsProxyAgent } from 'https-proxy-agent';
import { getProxyForUrl } from 'proxy-from-env';
import { TokenscopeError } from '../../shared/errors.ts';
import { isLoopback } from './hub-endpoint.ts';
import { Transient } from './retry.ts';

/**
 * The proxy between this machine and an address, as HTTPS_PROXY, ALL_PROXY and NO_PROXY name it; undefined for none. A hub
 * on this machine is never asked through one. Throws a `download` error that does not show the proxy's password.
 */
export function proxyFor(url: URL): URL | undefined {
  if (url.protocol !== 'https:' || isLoopback(url)) return undefined;
  const named = getProxyForUrl(url.href);
  if (named === '') return undefined;
  const proxy = URL.canParse(named) ? new URL(named) : undefined;
  if (proxy === undefined) throw unusable('it is not an address');
  if (!['http:', 'https:'].includes(proxy.protocol)) throw unusable(`${proxy.protocol}// is not supported`);
  return proxy;
}

function unusable(reason: string): TokenscopeError {
  return new TokenscopeError('download', `the proxy of the environment cannot be used: ${reason}`, {
    remedy: 'set HTTPS_PROXY to http://host:port, or name the hub in NO_PROXY',
  });
}

/**
 * Connects through the proxy. The connection to the address itself is encrypted from end to end, so the proxy learns its
 * host and nothing that is asked or answered. The signal also ends a connection that the proxy has not answered yet.
 */
export async function tunnel(proxy: URL, signal: AbortSignal): Promise<HttpsProxyAgent<string>> {
  // Most people have none, and the start of the application need not wait for it.
  const { HttpsProxyAgent } = await import('https-proxy-agent');
  const options: ConstructorParameters<typeof HttpsProxyAgent<string>>[1] = { signal };
  return new HttpsProxyAgent(proxy, options);
}

/** What the proxy itself has answered, where it did not connect: never taken for an answer of the hub. */
export function proxyRefusal(answer: IncomingMessage, proxy: URL, url: URL): Error | undefined {
  if (answer.socket instanceof TLSSocket) return undefined;
  const status = answer.statusCode ?? 0;
  if (status >= 500) return new Transient(`the proxy ${proxy.host} answered ${status} for ${url.host}`);
  if (status === 407) {
    return new TokenscopeError('download', `the proxy ${proxy.host} wants a name and a password (407)`, {
      remedy: 'set HTTPS_PROXY to http://name:password@host:port',
    });
  }
  return new TokenscopeError('download', `the proxy ${proxy.host} does not connect to ${url.host} (${status})`, {
    remedy: 'ask whoever runs the proxy, or name the hub in NO_PROXY',
  });
}
