import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { messageOf, TokenscopeError } from '../../shared/errors.ts';
import { proxyFor, proxyRefusal, tunnel } from './proxy.ts';
import { Transient } from './retry.ts';

export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: IncomingMessage;
}

/**
 * One GET, and exactly one. node:http rather than fetch: it follows no redirect, so that every hop can be looked at and the
 * token stays at home; it does not decompress, so that a range of bytes is one of the file's; and it has no time limits of
 * its own beside ours. Throws Transient where the network failed.
 */
export async function httpGet(url: URL, headers: Record<string, string>, signal: AbortSignal): Promise<HttpAnswer> {
  const proxy = proxyFor(url);
  // A connection for each request: there are few, and one kept alive may be closed just as it is used again.
  const agent = proxy === undefined ? false : await tunnel(proxy, signal);
  return new Promise((resolve, reject) => {
    const start = url.protocol === 'https:' ? requestHttps : requestHttp;
    const request = start(url, { headers, signal, agent });
    // Not once: a connection may fail again while it is being closed.
    request.on('error', (error) => reject(networkError(error, url, proxy)));
    request.once('response', (body) => {
      // An answer that is dropped, as a redirect's is, must not raise its end as an error of nobody's.
      body.on('error', () => undefined);
      const refusal = proxy === undefined ? undefined : proxyRefusal(body, proxy, url);
      if (refusal !== undefined) {
        body.destroy();
        reject(refusal);
        return;
      }
      resolve({ status: body.statusCode ?? 0, headers: body.headers, body });
    });
    request.end();
  });
}

/** What a broken connection is called: Transient, or a refusal where trying again cannot help. */
export function networkError(error: unknown, url: URL, proxy?: URL): Error {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (CERTIFICATE.test(code)) {
    return new TokenscopeError('download', `the certificate of ${url.host} is not trusted (${code})`, {
      remedy: 'if a proxy of your organization stands between, name its certificate with NODE_EXTRA_CA_CERTS',
    });
  }
  const where = proxy === undefined ? url.host : `${url.host} through the proxy ${proxy.host}`;
  return new Transient(`${where}: ${NETWORK_PROBLEMS[code] ?? (code || messageOf(error))}`);
}

const CERTIFICATE = /^(CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|ERR_TLS_CERT)/;

const NETWORK_PROBLEMS: { readonly [code: string]: string } = {
  ENOTFOUND: 'the name cannot be resolved',
  EAI_AGAIN: 'the name cannot be resolved at present',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  ETIMEDOUT: 'the connection timed out',
  ENETUNREACH: 'the network cannot be reached',
  EHOSTUNREACH: 'the host cannot be reached',
  EPROTO: 'what answers there does not speak TLS',
};
