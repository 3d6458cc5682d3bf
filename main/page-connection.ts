import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { messageOf, TokenscopeError } from '../shared/errors.ts';
import { exportRequestSchema } from '../shared/export-formats.ts';
import type { Outcome } from '../shared/host.ts';
import { parseMessage } from '../shared/messages.ts';
import type { Problem } from '../shared/problem.ts';
import { CHUNK_BYTES, CLOSE_CODES, fromPageSchema, type PageMethod, type ToPage } from '../shared/socket-messages.ts';
import { EventFeed } from './event-feed.ts';
import { COMMON_METHODS, idSchema, type Method, method, plainOrigins, saveRequestSchema } from './host-methods.ts';
import { hostError } from './outcome.ts';
import type { Profiler } from './profiler-contract.ts';
import { MAX_RECORD_BYTES } from './record-files.ts';

/** A page asks a few things at once. More than this waits unread. */
const MOST_REQUESTS = 64;
/** How long a connection may stay without saying who it is. */
const HELLO_WITHIN_MS = 10_000;

export interface ConnectionOptions {
  socket: WebSocket;
  profiler: Profiler;
  version: string;
  /** Whether this is the token of the page that we opened. */
  isToken: (token: string) => boolean;
}

/** Bytes of a file that are on their way from the page. */
interface Upload {
  id: string;
  bytes: Uint8Array;
  filled: number;
}

/** Serves one page until its connection ends. */
export function servePage({ socket, profiler, version, isToken }: ConnectionOptions): void {
  let admitted = false;
  let unsubscribe: (() => void) | undefined;
  let upload: Upload | undefined;
  let requests = 0;
  /** Large answers go out one after the other. */
  let bulk: Promise<unknown> = Promise.resolve();
  const tooLate = setTimeout(() => socket.close(CLOSE_CODES.refused, 'no token'), HELLO_WITHIN_MS);

  /** Resolves when the page has taken it, or will never: then there is nobody to tell. */
  const sendFrame = (frame: string | Uint8Array): Promise<void> =>
    new Promise((resolve) => {
      if (socket.readyState === socket.OPEN) socket.send(frame, () => resolve());
      else resolve();
    });
  const send = (message: ToPage) => sendFrame(JSON.stringify(message));
  const respond = (id: number, outcome: Outcome<unknown>) => send({ type: 'response', id, outcome });

  const methods: Record<PageMethod, Method> = {
    ...COMMON_METHODS,
    upload: method(z.strictObject({ bytes: z.int().nonnegative() }), async (_, { bytes }) => {
      if (bytes > MAX_RECORD_BYTES) {
        throw new TokenscopeError('file', `the file has ${bytes} bytes, a record at most ${MAX_RECORD_BYTES}`);
      }
      upload = { id: randomUUID(), bytes: new Uint8Array(bytes), filled: 0 };
      return { ok: true, value: { id: upload.id } };
    }),
    openRecord: method(pageOrigin, async (_, origin) => {
      if (origin.by !== 'upload') return profiler.openRecord(origin);
      const done = upload;
      if (done?.id !== origin.upload || done.filled !== done.bytes.length) {
        throw new TokenscopeError('message', 'the file did not arrive as a whole', { remedy: 'open it again' });
      }
      upload = undefined;
      return profiler.openRecord({ by: 'bytes', name: origin.name, bytes: done.bytes });
    }),
    // The page saves by exporting; see renderer/browser-host.ts.
    saveRecord: method(saveRequestSchema, () => refuse('a page saves a record by exporting it')),
    // As it is with exports and the clipboard: the page is handed the bytes.
    exportFile: method(z.unknown(), () => refuse('a page downloads what it exports')),
    copyPicture: method(z.unknown(), () => refuse('a page has a clipboard of its own')),
    exportBytes: method(exportRequestSchema, (_, request) => profiler.exportContent(request)),
    addModel: method(z.unknown(), () =>
      refuse('a page cannot hand over a folder', 'start the program with --model <folder>'),
    ),
    exportRecord: method(saveRequestSchema, async (_, { id, as }) => {
      const tab = profiler.getState().tabs.find((tab) => tab.id === id);
      if (tab !== undefined && !tab.unsaved && !as) return { ok: true, value: undefined };
      const outcome = await profiler.exportRecord(id);
      if (!outcome.ok) return outcome;
      const { name, text } = outcome.value;
      return { ok: true, value: { name, content: typeof text === 'string' ? new TextEncoder().encode(text) : text } };
    }),
    exportedRecord: method(z.strictObject({ id: idSchema, name: z.string().min(1).max(1000) }), (_, { id, name }) =>
      profiler.exportedRecord(id, name),
    ),
  };

  async function answer(id: number, name: PageMethod, params: unknown): Promise<void> {
    let outcome: Outcome<unknown>;
    try {
      outcome = await methods[name](profiler, params);
    } catch (error) {
      outcome = { ok: false, error: hostError(error) };
    }
    const announced = WITH_BYTES.has(name) && outcome.ok ? contentOf(outcome.value) : undefined;
    if (announced === undefined) return respond(id, outcome);
    const { value, bytes } = announced;
    await respond(id, { ok: true, value: { ...value, bytes: bytes.length } });
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) await sendFrame(bytes.subarray(at, at + CHUNK_BYTES));
  }

  async function handle(text: string): Promise<void> {
    const message = parseMessage(fromPageSchema, JSON.parse(text), 'the page');
    if (message.type === 'hello') {
      if (!isToken(message.token)) return socket.close(CLOSE_CODES.refused, 'the token is not valid');
      if (admitted) return;
      admitted = true;
      clearTimeout(tooLate);
      const feed = new EventFeed(
        {
          send: (event, sent) => void send({ type: 'event', event }).then(sent),
          get bufferedAmount() {
            return socket.bufferedAmount;
          },
        },
        () => profiler.attachRun(),
      );
      void send({ type: 'welcome', version, last_run: profiler.lastRun() });
      unsubscribe = profiler.subscribe((event) => feed.push(event));
      return;
    }
    if (!admitted) return socket.close(CLOSE_CODES.refused, 'no token');
    requests += 1;
    if (requests >= MOST_REQUESTS) socket.pause();
    const { id, method: name, params } = message;
    try {
      if (!BULK_METHODS.has(name)) return await answer(id, name, params);
      const turn = bulk.then(() => answer(id, name, params));
      bulk = turn.catch(() => undefined);
      await turn;
    } finally {
      requests -= 1;
      if (requests < MOST_REQUESTS && socket.readyState === socket.OPEN) socket.resume();
    }
  }

  function receive(chunk: Uint8Array): void {
    if (upload === undefined || upload.filled + chunk.length > upload.bytes.length) {
      socket.close(CLOSE_CODES.misuse, 'bytes that were not announced');
      return;
    }
    upload.bytes.set(chunk, upload.filled);
    upload.filled += chunk.length;
    void send({ type: 'received', bytes: upload.filled });
  }

  socket.on('message', (data, isBinary) => {
    if (!(data instanceof Buffer)) return;
    if (isBinary) {
      if (admitted) receive(data);
      else socket.close(CLOSE_CODES.refused, 'no token');
      return;
    }
    handle(data.toString('utf8')).catch((error: unknown) => {
      // A message that cannot be told from noise is no request that could be answered.
      socket.close(admitted ? CLOSE_CODES.misuse : CLOSE_CODES.refused, reasonOf(error));
    });
  });
  socket.on('close', () => {
    clearTimeout(tooLate);
    unsubscribe?.();
    upload = undefined;
  });
  // Every error is followed by a close.
  socket.on('error', () => undefined);
}

const BULK_METHODS: ReadonlySet<PageMethod> = new Set(['readRecord', 'attachRun', 'exportRecord', 'exportBytes']);

const pageOrigin = z.discriminatedUnion('by', [
  ...plainOrigins,
  z.strictObject({ by: z.literal('upload'), upload: idSchema, name: z.string().max(1000) }),
]);

/** Methods whose answer may be followed by bytes: those of a file, or of a large record. */
const WITH_BYTES: ReadonlySet<PageMethod> = new Set(['readRecord', 'exportRecord', 'exportBytes']);
const withBytes = z.union([
  z.object({ name: z.string(), content: z.instanceof(Uint8Array) }),
  z.object({ valid: z.boolean(), problems: z.array(z.custom<Problem>()), json: z.instanceof(Uint8Array) }),
]);

/** The bytes of an answer apart from what is said of them; undefined for one that has none. */
function contentOf(answer: unknown): { value: object; bytes: Uint8Array } | undefined {
  const { success, data } = withBytes.safeParse(answer);
  if (!success) return undefined;
  if ('json' in data) return { value: { valid: data.valid, problems: data.problems }, bytes: data.json };
  return { value: { name: data.name }, bytes: data.content };
}

async function refuse(message: string, remedy?: string): Promise<never> {
  throw new TokenscopeError('argument', message, remedy === undefined ? {} : { remedy });
}

/** The reason of a close frame may have 123 bytes. */
function reasonOf(error: unknown): string {
  return messageOf(error)
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .slice(0, 120);
}
