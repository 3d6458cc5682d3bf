/** The address of the page inside Electron: a scheme of our own, so that nothing is loaded from files or the network. */
export const APP_SCHEME = 'app';
export const APP_HOST = 'tokenscope';
export const APP_URL = `${APP_SCHEME}://${APP_HOST}/index.html`;

/** Whether an address is of our own page. What is no address is not. */
export function isAppUrl(url: string): boolean {
  try {
    const { protocol, host } = new URL(url);
    return protocol === `${APP_SCHEME}:` && host === APP_HOST;
  } catch {
    return false;
  }
}
