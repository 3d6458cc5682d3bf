import { TokenscopeError } from '../../shared/errors.ts';

/** Where models come from, and who asks. */
export interface HubAccess {
  endpoint: URL;
  /** Sent to the endpoint's own host only. */
  token: string | undefined;
}

const PUBLIC_HUB = 'https://huggingface.co';

/** HF_ENDPOINT and HF_TOKEN, as other tools of the hub read them. Throws a `download` error that shows neither's secrets. */
export function hubAccess(environment: NodeJS.ProcessEnv): HubAccess {
  return { endpoint: endpointOf(environment['HF_ENDPOINT']), token: tokenOf(environment['HF_TOKEN']) };
}

function endpointOf(text: string | undefined): URL {
  const named = text?.trim();
  const url = named === undefined || named === '' ? new URL(PUBLIC_HUB) : parse(named);
  if (url === undefined) throw wrong('HF_ENDPOINT', 'it is not an address');
  if (url.username !== '' || url.password !== '') throw wrong('HF_ENDPOINT', 'it holds a name or a password');
  if (!isAllowed(url, isLoopback(url))) throw wrong('HF_ENDPOINT', 'it must be https, or http on this machine');
  url.search = '';
  url.hash = '';
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

function tokenOf(text: string | undefined): string | undefined {
  const token = text?.trim();
  if (token === undefined || token === '') return undefined;
  if (!/^[\x21-\x7e]+$/.test(token)) throw wrong('HF_TOKEN', 'it has characters that no token has');
  return token;
}

function parse(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

export function isLoopback(url: URL): boolean {
  return ['localhost', '[::1]'].includes(url.hostname) || /^127\.\d+\.\d+\.\d+$/.test(url.hostname);
}

/** https everywhere; plain http, and this machine at all, only for a hub that runs on this machine. */
export function isAllowed(url: URL, localHub: boolean): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && localHub && isLoopback(url));
}

function wrong(name: string, reason: string): TokenscopeError {
  return new TokenscopeError('download', `${name} cannot be used: ${reason}`, {
    remedy: `set ${name} to another value or unset it`,
  });
}
