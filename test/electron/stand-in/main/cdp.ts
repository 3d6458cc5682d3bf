import type { Readable, Writable } from 'node:stream';
import type { CDPSession } from 'playwright-core';
import type { Protocol } from '../../../../node_modules/playwright-core/types/protocol';

/** One conversation over the DevTools protocol: with the browser, or with a page. */
export interface Cdp {
  send: CDPSession['send'];
  on<T extends keyof Protocol.Events>(event: T, listener: (payload: Protocol.Events[T]) => void): void;
}
export type { Protocol };

interface Message {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { message: string };
}
interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** The protocol over a pair of pipes: messages of JSON, each ended by a zero byte. */
export class CdpConnection {
  readonly #writable: Writable;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<string, ((payload: unknown) => void)[]>();
  #next = 1;
  #closed = false;

  constructor(writable: Writable, readable: Readable) {
    this.#writable = writable;
    let text = '';
    readable.setEncoding('utf8');
    readable.on('data', (piece: string) => {
      const parts = (text + piece).split('\0');
      text = parts.pop() ?? '';
      for (const part of parts) this.#receive(JSON.parse(part) as Message);
    });
    readable.on('close', () => this.#close());
    writable.on('error', () => this.#close());
  }

  session(sessionId?: string): Cdp {
    return {
      send: ((method: string, params?: object) => this.#send(method, params ?? {}, sessionId)) as CDPSession['send'],
      on: (event, listener) => {
        const key = `${sessionId ?? ''} ${event}`;
        this.#listeners.set(key, [...(this.#listeners.get(key) ?? []), listener as (payload: unknown) => void]);
      },
    };
  }

  #send(method: string, params: object, sessionId: string | undefined): Promise<unknown> {
    return new Promise((resolve, reject) => {
      // A browser that is gone answers nothing any more, and whoever asked is on its way out as well.
      if (this.#closed) return;
      const id = this.#next++;
      this.#waiting.set(id, { resolve, reject });
      this.#writable.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  #receive({ id, sessionId, method, params, result, error }: Message): void {
    if (id !== undefined) {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) waiting?.resolve(result);
      else waiting?.reject(new Error(error.message));
      return;
    }
    for (const listener of this.#listeners.get(`${sessionId ?? ''} ${method}`) ?? []) listener(params);
  }

  #close(): void {
    this.#closed = true;
    this.#waiting.clear();
  }
}
