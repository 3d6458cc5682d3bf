import { describe, expect, test } from 'vitest';
import { EventFeed } from '../../../main/event-feed.ts';
import type { AppState, HostEvent } from '../../../shared/host.ts';
import type { RunEvent } from '../../../shared/messages.ts';
import type { RecordDraft } from '../../../shared/record-draft.ts';

/** A socket whose other side takes what was sent when the test says so. */
class SlowSocket {
  readonly sent: HostEvent[] = [];
  bufferedAmount = 0;
  #taken: (() => void)[] = [];
  send(event: HostEvent, sent: () => void): void {
    this.sent.push(structuredClone(event));
    this.bufferedAmount += 10;
    this.#taken.push(sent);
  }
  take(count = this.#taken.length): void {
    for (const taken of this.#taken.splice(0, count)) {
      this.bufferedAmount -= 10;
      taken();
    }
  }
}

const draft = { samples: [] as unknown[] };
const state = (version: string): HostEvent => ({ type: 'state', state: { version } as AppState });
const tokens = (first: number): HostEvent => ({
  type: 'run_event',
  event: { type: 'tokens', first, ids: [first], at_ms: [first], texts: null } satisfies RunEvent,
});
const ended = (id: string): HostEvent => ({ type: 'run_ended', id, kind: 'info', notice: null });
const notice = (message: string): HostEvent => ({ type: 'notice', kind: 'info', message });

function slow(limit = 20) {
  const socket = new SlowSocket();
  const feed = new EventFeed(socket, () => draft as unknown as RecordDraft, limit);
  return { socket, feed };
}

describe('a feed', () => {
  test('sends everything in order while the page keeps up', () => {
    const { socket, feed } = slow();
    const events = [state('1'), tokens(0), tokens(1), ended('a'), notice('n')];
    for (const event of events) {
      feed.push(event);
      socket.take();
    }
    expect(socket.sent).toEqual(events);
  });

  test('keeps the last state only, and everything that cannot be summed up', () => {
    const { socket, feed } = slow();
    for (let index = 0; index < 3; index++) feed.push(tokens(index));
    for (let index = 0; index < 1000; index++) feed.push(state(String(index)));
    feed.push(notice('kept'));
    feed.push({ type: 'opened', id: 'a' });
    expect(socket.sent).toHaveLength(3);
    socket.take();
    socket.take();
    expect(socket.sent.slice(3)).toEqual([state('999'), notice('kept'), { type: 'opened', id: 'a' }]);
  });

  test('tells a page that missed tokens the run from its start, once it has caught up', () => {
    const { socket, feed } = slow();
    for (let index = 0; index < 1000; index++) feed.push(tokens(index));
    expect(socket.sent).toHaveLength(3);
    draft.samples.push('all that was measured');
    socket.take(1);
    expect(socket.sent).toHaveLength(3);
    socket.take();
    expect(socket.sent.slice(3)).toEqual([{ type: 'run_started', draft }]);
    feed.push(tokens(1000));
    expect(socket.sent.at(-1)).toEqual(tokens(1000));
  });

  test('tells the end of a run that it could not show, and shows the next one', () => {
    const { socket, feed } = slow();
    for (let index = 0; index < 5; index++) feed.push(tokens(index));
    feed.push(ended('first'));
    socket.take();
    expect(socket.sent.slice(3)).toEqual([ended('first')]);
    for (let index = 0; index < 5; index++) feed.push(tokens(index));
    feed.push(ended('second'));
    feed.push({ type: 'run_started', draft: draft as unknown as RecordDraft });
    socket.take();
    expect(socket.sent.slice(-2)).toEqual([ended('second'), { type: 'run_started', draft }]);
  });

  test('keeps no more than its bound, the newest', () => {
    const { socket, feed } = slow();
    for (let index = 0; index < 10_000; index++) feed.push(notice(String(index)));
    for (let round = 0; round < 500; round++) socket.take();
    expect(socket.sent.length).toBeLessThan(210);
    expect(socket.sent.at(-1)).toEqual(notice('9999'));
  });
});
