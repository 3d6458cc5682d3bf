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

/** What an answer is followed by, on its way. */
interface Arriving {
  parts: ArrayBuffer[];
  /** Bytes that have not come yet. */
  missing: number;
  done(content: Blob): void;
}

interface Waiting {
  /** Whether bytes may follow the answer. */
  bytes: boolean;
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

interface Answer {
  outcome: Outcome<unknown>;
  content: Blob | undefined;
}

const announcement = z.object({ bytes: z.int().nonnegative() });

/** Requests and events over one WebSocket that is opened again when it breaks. */
export class PageSocket {
  readonly #url: string;
  readonly #token: string;
  readonly #events: SocketEvents;
  readonly #waiting = new Map<number, Waiting>();
  #socket: WebSocket | undefined;
  /** Settled once the server has let us in, or never will. */
  #connected = deferred<WebSocket>();
  #admitted = false;
  #nextId = 0;
  #attempt = 0;
  #lost = false;
  #chunk: Deferred<void> | undefined;
  /** Answers with bytes come one after the other, each with its own. */
  #arriving: Arriving | undefined;

  constructor(origin: string, token: string, events: SocketEvents) {
    this.#url = `${origin}${SOCKET_PATH}`;
    this.#token = token;
    this.#events = events;
    this.#connect();
  }

  /** Rejects only if the connection breaks before the answer, or cannot be had at all. */
  async request<T>(method: PageMethod, params?: unknown): Promise<Outcome<T>> {
    return typed<T>((await this.#ask(method, params, false)).outcome);
  }

  /** As `request`, for an answer that bytes may follow: then they are its content. */
  async requestBytes<T>(
    method: 'readRecord' | 'exportRecord' | 'exportBytes',
    params: unknown,
  ): Promise<{ outcome: Outcome<T>; content: Blob | undefined }> {
    const { outcome, content } = await this.#ask(method, params, true);
    return { outcome: typed<T>(outcome), content };
  }

  async #ask(method: PageMethod, params: unknown, bytes: boolean): Promise<Answer> {
    const socket = await this.#connected.promise;
    const id = this.#nextId++;
    const answer = new Promise<Answer>((resolve, reject) => this.#waiting.set(id, { bytes, resolve, reject }));
    this.#send(socket, { type: 'request', id, method, params });
    return answer;
  }

  /** Sends bytes of the upload that was announced, and waits until they have arrived. */
  async sendChunk(chunk: ArrayBuffer): Promise<void> {
    const socket = await this.#connected.promise;
    this.#chunk = deferred<void>();
    socket.send(chunk);
    await this.#chunk.promise;
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
      if (this.#arriving === undefined) return;
      this.#arriving.parts.push(data);
      this.#arriving.missing -= data.byteLength;
      this.#checkArrived();
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
        this.#answered(message.id, message.outcome);
        return;
      case 'event':
        this.#events.onEvent(message.event);
        return;
      case 'received':
        this.#chunk?.resolve();
        return;
    }
  }

  #answered(id: number, outcome: Outcome<unknown>): void {
    const waiting = this.#waiting.get(id);
    const announced = announcement.safeParse(outcome.ok ? outcome.value : undefined);
    if (waiting?.bytes !== true || !announced.success) {
      this.#waiting.delete(id);
      waiting?.resolve({ outcome, content: undefined });
      return;
    }
    // Until they are here it waits like any other, for the connection may break.
    const done = (content: Blob) => {
      this.#waiting.delete(id);
      waiting.resolve({ outcome, content });
    };
    this.#arriving = { parts: [], missing: announced.data.bytes, done };
    this.#checkArrived();
  }

  #checkArrived(): void {
    const arrived = this.#arriving;
    if (arrived === undefined || arrived.missing > 0) return;
    this.#arriving = undefined;
    arrived.done(new Blob(arrived.parts));
  }

  #closed(socket: WebSocket, code: number): void {
    if (socket !== this.#socket) return;
    const cut = new Error(CUT_OFF);
    for (const request of this.#waiting.values()) request.reject(cut);
    this.#waiting.clear();
    this.#chunk?.reject(cut);
    this.#arriving = undefined;

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

/** What a program of the same build answers has the form that its types say. */
function typed<T>(outcome: Outcome<unknown>): Outcome<T> {
  return outcome.ok ? { ok: true, value: z.custom<T>().parse(outcome.value) } : outcome;
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
