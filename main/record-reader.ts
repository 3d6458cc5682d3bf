import { TokenscopeError } from '../shared/errors.ts';
import type { ExportRequest } from '../shared/export-formats.ts';
import type { OpenRecordText } from '../shared/host.ts';
import { withoutByteOrderMark } from '../shared/json-text.ts';
import { errorFromMessage, parseMessage } from '../shared/messages.ts';
import { type FromReader, fromReaderSchema, pieceOf, type ToReader } from '../shared/record-messages.ts';
import type { WorkerHost } from './worker-process.ts';

/**
 * From this size on a record is read by a process of its own. Checking takes some 50 ms for each megabyte, starting a
 * process some 100 ms: below, a window is held up no longer than it would have to wait for the process.
 */
export const LARGE_RECORD_BYTES = 2 << 20;

/** A large record that was read: as a window gets it, and what else is asked of it here. */
export interface LargeRecord extends OpenRecordText {
  created_at: string | undefined;
}

/** Reads, checks and converts large records in another process, one after the other: one alone may need gigabytes. */
export class RecordReader {
  readonly #fork: () => WorkerHost;
  #turn: Promise<unknown> = Promise.resolve();
  #end: ((error: TokenscopeError) => void) | undefined;
  #closed = false;

  constructor(fork: () => WorkerHost) {
    this.#fork = fork;
  }

  /**
   * What openRecordOf says of the same bytes; the text of a valid record are these very bytes. Throws a `worker` error
   * if the process ends before it has answered; `path` is where it says so.
   */
  async check(bytes: Uint8Array, path?: string): Promise<LargeRecord> {
    const { first, content } = await this.#inTurn({ type: 'check', bytes: bytes.length }, bytes, path);
    if (first.type !== 'checked') throw unexpected(first);
    const { valid, problems, created_at } = first.verdict;
    return { valid, problems, json: content ?? withoutByteOrderMark(bytes), created_at };
  }

  /** As exportFileContent, for a record that was found valid. Errors as there and as `check`. */
  async exportContent(json: Uint8Array, request: ExportRequest): Promise<Uint8Array> {
    const { first, content } = await this.#inTurn({ type: 'export', bytes: json.length, request }, json);
    if (first.type !== 'exported') throw unexpected(first);
    return content ?? new Uint8Array();
  }

  /** Ends what is going on; what waits for it is told so. */
  close(): void {
    this.#closed = true;
    this.#end?.(CLOSING);
  }

  #inTurn(first: ToReader, bytes: Uint8Array, path?: string): Promise<Answer> {
    const turn = this.#turn.then(() => {
      if (this.#closed) throw CLOSING;
      return this.#ask(first, bytes, path);
    });
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  #ask(first: ToReader, bytes: Uint8Array, path: string | undefined): Promise<Answer> {
    const host = this.#fork();
    const asked = new Promise<Answer>((resolve, reject) => {
      const post = (message: ToReader) => host.port.post(message);
      let sent = 0;
      const sendPiece = () => {
        if (sent === bytes.length) return;
        const piece = pieceOf(bytes, sent);
        sent += piece.length;
        post({ type: 'piece', bytes: piece });
      };
      let answer: Answer | undefined;
      let filled = 0;
      const receive = (message: FromReader) => {
        switch (message.type) {
          case 'taken':
            sendPiece();
            return;
          case 'checked':
          case 'exported': {
            const content = message.follows === null ? undefined : new Uint8Array(message.follows);
            answer = { first: message, content };
            if ((content?.length ?? 0) === 0) resolve(answer);
            return;
          }
          case 'piece':
            if (answer?.content === undefined) throw unexpected(message);
            answer.content.set(message.bytes, filled);
            filled += message.bytes.length;
            if (filled === answer.content.length) resolve(answer);
            return;
          case 'failed':
            reject(errorFromMessage(message.error));
        }
      };
      host.port.onMessage((raw) => {
        try {
          receive(parseMessage(fromReaderSchema, raw, 'the process that reads records'));
        } catch (error) {
          reject(error);
        }
      });
      host.onExit((reason) => reject(ended(reason, path)));
      this.#end = reject;
      post(first);
    });
    return asked.finally(() => {
      this.#end = undefined;
      // With the process all that it took of the memory is given back.
      host.kill();
    });
  }
}

interface Answer {
  readonly first: FromReader;
  readonly content: Uint8Array | undefined;
}

const CLOSING = new TokenscopeError('argument', 'the application is closing');

function ended(reason: string, path: string | undefined): TokenscopeError {
  return new TokenscopeError('worker', `the record could not be read: the process that reads it ${reason}`, {
    remedy: 'its file is as it was; close other programs and open it again',
    ...(path === undefined ? {} : { path }),
  });
}

function unexpected({ type }: FromReader): TokenscopeError {
  return new TokenscopeError('message', `the process that reads records answered "${type}" out of turn`);
}
