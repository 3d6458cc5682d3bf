import type { Session, WebContents } from 'electron';
import { only } from '../only.ts';
import { chromiumNow } from './lifecycle.ts';
import { toAppUrl } from './schemes.ts';

type RequestHandler = NonNullable<Parameters<Session['setPermissionRequestHandler']>[0]>;
type CheckHandler = NonNullable<Parameters<Session['setPermissionCheckHandler']>[0]>;
type Permission = Parameters<RequestHandler>[1];

/** Chromium's permissions by the names that Electron has for them. */
const PERMISSIONS: readonly { electron: Permission; chromium: string }[] = [
  { electron: 'geolocation', chromium: 'geolocation' },
  { electron: 'notifications', chromium: 'notifications' },
  { electron: 'media', chromium: 'camera' },
  { electron: 'media', chromium: 'microphone' },
  { electron: 'midi', chromium: 'midi' },
  { electron: 'clipboard-read', chromium: 'clipboard-read' },
  { electron: 'clipboard-sanitized-write', chromium: 'clipboard-write' },
  { electron: 'idle-detection', chromium: 'idle-detection' },
  { electron: 'display-capture', chromium: 'display-capture' },
];

let onRequest: RequestHandler | null = null;
let onCheck: CheckHandler | null = null;

const defaultSession = only('session', {
  setPermissionRequestHandler(handler) {
    onRequest = handler;
  },
  setPermissionCheckHandler(handler) {
    onCheck = handler;
  },
  // No device and no display ever asks here: there are none. What was set is not looked at.
  setDevicePermissionHandler: () => undefined,
  setDisplayMediaRequestHandler: () => undefined,
} satisfies Pick<
  Session,
  | 'setPermissionRequestHandler'
  | 'setPermissionCheckHandler'
  | 'setDevicePermissionHandler'
  | 'setDisplayMediaRequestHandler'
>);

export const session = only('session', { defaultSession });

/**
 * Asks the app's handlers about every permission and tells the browser, which then answers the page by itself. Electron
 * asks when the page does; a browser that is remote-controlled must know before. Without handlers all is granted, as
 * in Electron.
 */
export async function decidePermissions(contents: WebContents, browserUrl: string): Promise<void> {
  const origin = new URL(browserUrl).origin;
  const requestingUrl = toAppUrl(browserUrl);
  const { protocol, host } = new URL(requestingUrl);
  const appOrigin = `${protocol}//${host}/`;
  await Promise.all(
    PERMISSIONS.map(async ({ electron, chromium }) => {
      const granted = isGranted(contents, electron, requestingUrl, appOrigin);
      await chromiumNow().browser.send('Browser.setPermission', {
        origin,
        permission: { name: chromium },
        setting: granted ? 'granted' : 'denied',
      });
    }),
  );
}

function isGranted(contents: WebContents, permission: Permission, requestingUrl: string, origin: string): boolean {
  let answer = onRequest === null;
  onRequest?.(contents, permission, (granted) => (answer = granted), { requestingUrl, isMainFrame: true });
  const checked = onCheck?.(contents, permission, origin, { requestingUrl, isMainFrame: true }) ?? true;
  return answer && checked;
}
