import { protocol } from 'electron';
import { APP_HOST, APP_SCHEME } from './app-url.ts';
import { securityHeaders } from './content-security.ts';
import { readStaticFile } from './static-files.ts';

/** Must be called before the app is ready. Standard and secure: relative links, fetch and modules work as over https. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: APP_SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ]);
}

export function serveAppProtocol(rendererFolder: string): void {
  protocol.handle(APP_SCHEME, (request) => answerAppRequest(rendererFolder, request));
}

/** A file of the built page, with the same headers as every other answer. */
export async function answerAppRequest(
  rendererFolder: string,
  request: { url: string; method: string },
): Promise<Response> {
  const headers = securityHeaders();
  const { host, pathname } = new URL(request.url);
  if (host !== APP_HOST) return new Response(null, { status: 404, headers });
  if (request.method !== 'GET' && request.method !== 'HEAD') return new Response(null, { status: 405, headers });
  const answer = await readStaticFile(rendererFolder, pathname === '' ? '/' : pathname);
  if (answer.status !== 200) return new Response(null, { status: answer.status, headers });
  const body = request.method === 'HEAD' ? null : answer.content;
  return new Response(body, { status: 200, headers: { ...headers, 'Content-Type': answer.type } });
}
