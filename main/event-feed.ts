import type { AppState, HostEvent } from '../shared/host.ts';
import type { RecordDraft } from '../shared/record-draft.ts';

/** What the feed needs of a WebSocket. */
export interface FeedSocket {
  send(event: HostEvent, sent: () => void): void;
  /** Bytes that were sent and that the other side has not taken yet. */
  readonly bufferedAmount: number;
}

/** So much may wait for a slow page, in bytes. */
const MOST_WAITING_BYTES = 1 << 20;
/** So many events that cannot be summed up are kept for it. */
const MOST_KEPT = 200;

/**
 * Events for one page, in bounded memory however slow it is. While too much is waiting nothing more is sent: of the
 * states only the last one counts, and the tokens of a run are not kept, because the run's draft has them. Once the page
 * has caught up it is told the state, what cannot be summed up, and the draft as a whole; no token is ever missing.
 */
export class EventFeed {
  readonly #socket: FeedSocket;
  readonly #draft: () => RecordDraft | undefined;
  readonly #limit: number;
  #holding = false;
  #state: AppState | undefined;
  #kept: HostEvent[] = [];
  #behind = false;

  constructor(socket: FeedSocket, draft: () => RecordDraft | undefined, limit = MOST_WAITING_BYTES) {
    this.#socket = socket;
    this.#draft = draft;
    this.#limit = limit;
  }

  push(event: HostEvent): void {
    if (this.#holding) this.#hold(event);
    else this.#send(event);
  }

  #send(event: HostEvent): void {
    this.#socket.send(event, () => this.#drained());
    // The page has to take at least half of it before more is sent, or every token would bring a draft with it.
    this.#holding = this.#socket.bufferedAmount > this.#limit;
  }

  #hold(event: HostEvent): void {
    switch (event.type) {
      case 'state':
        this.#state = event.state;
        return;
      case 'run_started':
      case 'run_event':
        this.#behind = true;
        return;
      case 'run_ended':
        this.#behind = false;
        break;
      case 'notice':
      case 'opened':
      case 'command':
        break;
    }
    this.#kept.push(event);
    if (this.#kept.length > MOST_KEPT) this.#kept.shift();
  }

  #drained(): void {
    if (!this.#holding || this.#socket.bufferedAmount > this.#limit / 2) return;
    this.#holding = false;
    const draft = this.#behind ? this.#draft() : undefined;
    const due: HostEvent[] = [
      ...(this.#state === undefined ? [] : [{ type: 'state', state: this.#state } as const]),
      ...this.#kept,
      ...(draft === undefined ? [] : [{ type: 'run_started', draft } as const]),
    ];
    this.#state = undefined;
    this.#kept = [];
    this.#behind = false;
    for (const event of due) this.push(event);
  }
}
