import { z } from 'zod';
import type { HostEvent, Outcome } from '../shared/host.ts';
import {
  CLOSE_CODES,
  type FromPage,
  type PageMethod,
  SOCKET_PATH,
  type ToPage,
  toPageSchema,
} from '../shared/socket-messages.ts';

export interface SocketEvents {
  onEvent(event: HostEvent): void;
  /** The connection is gone, in words. */
  onLost(message: string): void;
  /** The connection is back after a loss. */
  onReturn(lastRun: Extract<ToPage, { type: 'welcome' }>['last_run']): Promise<void>;
}

/** Waits between attempts to connect again, in milliseconds; the last one is repeated. */
const RETRY_MS = [100, 300, 1000, 3000];

const INVALID = 'This address is no longer valid. Open the one that Tokenscope printed when it was started.';
const ENDED = 'Tokenscope has ended. Start it again and open the address that it prints.';
const LOST = 'The connection to Tokenscope was lost; trying again.';
const CUT_OFF = 'the connection was lost before an answer came';

interface Exporting {
  parts: ArrayBuffer[];
  received: number;
  /** Known with the answer, which comes before the bytes. */
  total: number | undefined;
  done(): void;
  fail(error: Error): void;
}

/** Requests and events over one WebSocket that is opened again when it breaks. */
export class PageSocket {
  readonly #url: string;
  readonly #token: string;
  readonly #events: SocketEvents;
  readonly #waiting = new Map<number, { resolve(outcome: Outcome<unknown>): void; reject(error: Error): void }>();
  #socket: WebSocket | undefined;
  /** Settled once the server has let us in, or never will. */
  #connected = deferred<WebSocket>();
  #admitted = false;
  #nextId = 0;
  #attempt = 0;
  #lost = false;
  #chunk: Deferred<void> | undefined;
  #export: Exporting | undefined;

  constructor(origin: string, token: string, events: SocketEvents) {
    this.#url = `${origin}${SOCKET_PATH}`;
    this.#token = token;
    this.#events = events;
    this.#connect();
  }

  /** Rejects only if the connection breaks before the answer, or cannot be had at all. */
  async request<T>(method: PageMethod, params?: unknown): Promise<Outcome<T>> {
    const socket = await this.#connected.promise;
    const id = this.#nextId++;
    const answer = new Promise<Outcome<unknown>>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#send(socket, { type: 'request', id, method, params });
    const outcome = await answer;
    // What a program of the same build answers has the form that its types say.
    return outcome.ok ? { ok: true, value: z.custom<T>().parse(outcome.value) } : outcome;
  }

  /** Sends bytes of the upload that was announced, and waits until they have arrived. */
  async sendChunk(chunk: ArrayBuffer): Promise<void> {
    const socket = await this.#connected.promise;
    this.#chunk = deferred<void>();
    socket.send(chunk);
    await this.#chunk.promise;
  }

  /** Something as a file. Undefined: there is nothing to hand over, it is saved already. */
  async requestBytes(
    method: 'exportRecord' | 'exportBytes',
    params: unknown,
    type: string,
  ): Promise<Outcome<{ name: string; content: Blob } | undefined>> {
    const arrived = new Promise<Blob>((resolve, reject) => {
      const parts: ArrayBuffer[] = [];
      const done = () => resolve(new Blob(parts, { type }));
      this.#export = { parts, received: 0, total: undefined, done, fail: reject };
    });
    // Awaited below unless the answer is a refusal; then nothing arrives.
    arrived.catch(() => undefined);
    const outcome = await this.request<{ name: string; bytes: number } | undefined>(method, params);
    if (!outcome.ok || outcome.value === undefined || this.#export === undefined) {
      return outcome.ok ? { ok: true, value: undefined } : outcome;
    }
    this.#export.total = outcome.value.bytes;
    this.#checkExport();
    return { ok: true, value: { name: outcome.value.name, content: await arrived } };
  }

  #connect(): void {
    const socket = new WebSocket(this.#url);
    socket.binaryType = 'arraybuffer';
    this.#socket = socket;
    socket.addEventListener('open', () => this.#send(socket, { type: 'hello', token: this.#token }));
    socket.addEventListener('message', ({ data }: MessageEvent<unknown>) => this.#receive(socket, data));
    socket.addEventListener('close', ({ code }) => this.#closed(socket, code));
  }

  #send(socket: WebSocket, message: FromPage): void {
    socket.send(JSON.stringify(message));
  }

  #receive(socket: WebSocket, data: unknown): void {
    if (data instanceof ArrayBuffer) {
      this.#export?.parts.push(data);
      if (this.#export !== undefined) this.#export.received += data.byteLength;
      this.#checkExport();
      return;
    }
    const message = toPageSchema.parse(JSON.parse(String(data)));
    switch (message.type) {
      case 'welcome':
        this.#attempt = 0;
        this.#admitted = true;
        this.#connected.resolve(socket);
        if (this.#lost) void this.#events.onReturn(message.last_run);
        this.#lost = false;
        return;
      case 'response':
        this.#waiting.get(message.id)?.resolve(message.outcome);
        this.#waiting.delete(message.id);
        return;
      case 'event':
        this.#events.onEvent(message.event);
        return;
      case 'received':
        this.#chunk?.resolve();
        return;
    }
  }

  #checkExport(): void {
    const current = this.#export;
    if (current?.total === undefined || current.received < current.total) return;
    this.#export = undefined;
    current.done();
  }

  #closed(socket: WebSocket, code: number): void {
    if (socket !== this.#socket) return;
    const cut = new Error(CUT_OFF);
    for (const request of this.#waiting.values()) request.reject(cut);
    this.#waiting.clear();
    this.#chunk?.reject(cut);
    this.#export?.fail(cut);
    this.#export = undefined;

    if (this.#admitted) this.#connected = deferred<WebSocket>();
    this.#admitted = false;
    const final = code === CLOSE_CODES.refused ? INVALID : code === CLOSE_CODES.ended ? ENDED : undefined;
    if (final !== undefined) {
      this.#connected.reject(new Error(final));
      this.#events.onLost(final);
      return;
    }
    if (!this.#lost) this.#events.onLost(LOST);
    this.#lost = true;
    const delay = RETRY_MS[Math.min(this.#attempt, RETRY_MS.length - 1)];
    this.#attempt += 1;
    setTimeout(() => this.#connect(), delay);
  }
}

interface Deferred<T> {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(error: Error): void;
}

function deferred<T>(): Deferred<T> {
  let settle: Omit<Deferred<T>, 'promise'> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // Whoever waits for it hears of the rejection; if nobody does, there is nobody to tell.
  promise.catch(() => undefined);
  return { promise, resolve: (value) => settle?.resolve(value), reject: (error) => settle?.reject(error) };
}
