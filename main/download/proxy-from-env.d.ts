declare module 'proxy-from-env' {
  /** The proxy that HTTPS_PROXY, ALL_PROXY and NO_PROXY name for this address; empty for none. */
  export function getProxyForUrl(url: URL): string;
}
