import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { WebSocketServer } from 'ws';
import { messageOf, TokenscopeError } from '../shared/errors.ts';
import { CLOSE_CODES, SOCKET_PATH } from '../shared/socket-messages.ts';
import { securityHeaders } from './content-security.ts';
import { servePage } from './page-connection.ts';
import type { Profiler } from './profiler-contract.ts';
import { readStaticFile } from './static-files.ts';

/** Nobody but this machine is served. */
const ADDRESS = '127.0.0.1';
/** The largest message of a page: a plan with long prompts. Files come in smaller frames. */
const MOST_MESSAGE_BYTES = 16 << 20;

export interface ServeOptions {
  profiler: Profiler;
  version: string;
  /** The built page. */
  rendererFolder: string;
  /** 0 for any that is free. */
  port: number;
}

export interface RunningServer {
  /** With the token in its fragment, which no browser sends anywhere. */
  url: string;
  port: number;
  close(): Promise<void>;
}

/** Serves the application to browsers of this machine. Throws an `argument` error if the port is taken. */
export async function serve({ profiler, version, rendererFolder, port }: ServeOptions): Promise<RunningServer> {
  const token = randomBytes(32).toString('base64url');
  const tokenHash = sha256(token);
  const server = createServer();
  const actualPort = await listen(server, port);
  const hosts = [`${ADDRESS}:${actualPort}`, `localhost:${actualPort}`];
  // A name of somebody else's that leads here (DNS rebinding) is not our name; a page from elsewhere has another origin.
  const isOurHost = (request: IncomingMessage) => hosts.includes(request.headers.host ?? '');
  const isOurOrigin = (request: IncomingMessage) => hosts.some((host) => request.headers.origin === `http://${host}`);

  server.on('request', (request, response) => {
    const socket = `ws://${request.headers.host ?? ''}`;
    const headers = isOurHost(request) ? securityHeaders(socket) : securityHeaders();
    void answerRequest(request, response, { rendererFolder, headers, isOurHost: isOurHost(request) });
  });

  const sockets = new WebSocketServer({ noServer: true, maxPayload: MOST_MESSAGE_BYTES, perMessageDeflate: false });
  server.on('upgrade', (request, stream, head) => {
    if (!isOurHost(request) || !isOurOrigin(request) || request.url !== SOCKET_PATH) {
      stream.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, stream, head, (socket) => {
      servePage({
        socket,
        profiler,
        version,
        // Hashes have one length, so nothing is told by the time that comparing takes.
        isToken: (candidate) => timingSafeEqual(sha256(candidate), tokenHash),
      });
    });
  });

  return {
    url: `http://${ADDRESS}:${actualPort}/#token=${token}`,
    port: actualPort,
    async close() {
      for (const socket of sockets.clients) {
        socket.close(CLOSE_CODES.ended, 'the program has ended');
        // A page that does not read does not hold us up.
        setTimeout(() => socket.terminate(), 1000).unref();
      }
      server.closeIdleConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  options: { rendererFolder: string; headers: Record<string, string>; isOurHost: boolean },
): Promise<void> {
  const end = (status: number, type?: string, content?: Uint8Array) => {
    response.writeHead(status, { ...options.headers, ...(type === undefined ? {} : { 'Content-Type': type }) });
    response.end(request.method === 'HEAD' ? undefined : content);
  };
  if (!options.isOurHost) return end(403);
  if (request.method !== 'GET' && request.method !== 'HEAD') return end(405);
  const [path = ''] = (request.url ?? '').split('?');
  const answer = await readStaticFile(options.rendererFolder, path);
  if (answer.status === 200) end(200, answer.type, answer.content);
  else end(answer.status);
}

function listen(server: ReturnType<typeof createServer>, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(
        new TokenscopeError('argument', `port ${port} cannot be used: ${messageOf(error)}`, {
          remedy: 'name another with --port, or none for any that is free',
        }),
      );
    });
    server.listen(port, ADDRESS, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
