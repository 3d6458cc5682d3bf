import { type App, type Session, shell, type WebContents } from 'electron';
import { isAppUrl } from './app-url.ts';

/** Pages that the app links to. Anything else that wants out is not opened at all. */
const EXTERNAL_HOSTS: ReadonlySet<string> = new Set(['huggingface.co', 'onnxruntime.ai', 'github.com']);

/** Whether a link may be opened in the system's browser: http(s), a host from the list, and no user or odd port. */
export function isExternalUrl(url: string): boolean {
  try {
    const { protocol, hostname, port, username, password } = new URL(url);
    const isWeb = protocol === 'https:' || protocol === 'http:';
    return isWeb && EXTERNAL_HOSTS.has(hostname) && port === '' && username === '' && password === '';
  } catch {
    return false;
  }
}

export function openExternalUrl(url: string): void {
  if (isExternalUrl(url)) void shell.openExternal(url);
}

/** Guards every page that there will ever be: it stays where it is, opens nothing, and embeds nothing. */
export function guardPages(app: App): void {
  app.on('web-contents-created', (_event, contents) => guardPage(contents));
}

function guardPage(contents: WebContents): void {
  contents.on('will-navigate', (details) => {
    // Only a reload keeps the address.
    if (!(isAppUrl(details.url) && details.url === contents.getURL())) details.preventDefault();
  });
  contents.on('will-frame-navigate', (details) => {
    if (!details.isMainFrame) details.preventDefault();
  });
  contents.on('will-redirect', (details) => details.preventDefault());
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    openExternalUrl(url);
    return { action: 'deny' };
  });
}

/**
 * The one thing our page needs that browsers call a permission: putting text or an image on the clipboard when a person
 * presses "copy". Reading the clipboard is another permission, and denied like every other.
 */
const ALLOWED_PERMISSION = 'clipboard-sanitized-write';

/** Denies every permission, device and display to every page, but for copying in our own. */
export function denyPermissions(session: Session): void {
  session.setPermissionRequestHandler((contents, permission, callback) => {
    callback(permission === ALLOWED_PERMISSION && isAppUrl(contents.getURL()));
  });
  session.setPermissionCheckHandler(
    (_contents, permission, origin) => permission === ALLOWED_PERMISSION && isAppUrl(origin),
  );
  session.setDevicePermissionHandler(() => false);
  session.setDisplayMediaRequestHandler((_request, callback) => callback({}));
}
