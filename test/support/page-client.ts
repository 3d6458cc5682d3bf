import { request } from 'node:http';
import { WebSocket } from 'ws';
import type { Outcome, TabEntry } from '../../shared/host.ts';
import type { TraceRecord } from '../../shared/record.ts';
import type { RecordDraft } from '../../shared/record-draft.ts';
import { SOCKET_PATH, type ToPage } from '../../shared/socket-messages.ts';
import { EventLog } from './profiler.ts';

/** What answers are made of, as far as tests look into them. */
export interface PageAnswer extends RecordDraft {
  id: string;
  bytes: number;
  record: TraceRecord;
  tabs: TabEntry[];
}

/** The other end of the socket, without a browser around it. */
export class PageClient {
  readonly socket: WebSocket;
  readonly events = new EventLog();
  readonly chunks: Buffer[] = [];
  /** Messages of any kind. */
  heard = 0;
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly welcomed: Promise<ToPage>;
  readonly #answers = new Map<number, (outcome: Outcome<PageAnswer>) => void>();
  #received: (bytes: number) => void = () => undefined;
  #nextId = 0;

  constructor(port: number, token: string | null, options: { host?: string; origin?: string; path?: string } = {}) {
    const host = options.host ?? `127.0.0.1:${port}`;
    const origin = options.origin ?? `http://${host}`;
    this.socket = new WebSocket(`ws://127.0.0.1:${port}${options.path ?? SOCKET_PATH}`, {
      headers: { Host: host, ...(origin === '' ? {} : { Origin: origin }) },
    });
    this.closed = new Promise((resolve) =>
      this.socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() })),
    );
    this.welcomed = new Promise((resolve, reject) => {
      this.socket.on('error', reject);
      this.socket.on('open', () => {
        if (token !== null) this.send({ type: 'hello', token });
      });
      this.socket.on('message', (data: Buffer, isBinary) => {
        this.heard += 1;
        if (isBinary) {
          this.chunks.push(data);
          return;
        }
        const message = JSON.parse(data.toString()) as ToPage;
        if (message.type === 'welcome') resolve(message);
        if (message.type === 'event') this.events.add(message.event);
        if (message.type === 'response') this.#answers.get(message.id)?.(message.outcome as Outcome<PageAnswer>);
        if (message.type === 'received') this.#received(message.bytes);
      });
    });
    this.welcomed.catch(() => undefined);
  }

  send(message: unknown): void {
    this.socket.send(JSON.stringify(message));
  }

  request(method: string, params?: unknown): Promise<Outcome<PageAnswer>> {
    const id = this.#nextId++;
    return new Promise((resolve) => {
      this.#answers.set(id, resolve);
      this.send({ type: 'request', id, method, params });
    });
  }

  sendBytes(bytes: Uint8Array): Promise<number> {
    return new Promise((resolve) => {
      this.#received = resolve;
      this.socket.send(bytes);
    });
  }
}

/** An HTTP request whose path goes out as it is written. */
export function rawRequest(
  port: number,
  path: string,
  options: { host?: string; method?: string } = {},
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({
      host: '127.0.0.1',
      port,
      path,
      method: options.method ?? 'GET',
      headers: { Host: options.host ?? `127.0.0.1:${port}` },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        body += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    outgoing.end();
  });
}
