import { errorToMessage, parseMessage } from '../shared/messages.ts';
import { openParentPort } from '../shared/parent-port.ts';
import { type FromReader, PIECE_BYTES, pieceOf, type ToReader, toReaderSchema } from '../shared/record-messages.ts';
import { checkRecordText, exportRecordText } from './record-text.ts';

/**
 * The process that reads one large record. It is handed the bytes of the file instead of its path: what it says is then
 * said of the very bytes that the application keeps, whatever becomes of the file. Whoever started it ends it.
 */
const port = openParentPort(process);
const post = (message: FromReader) => port.post(message);

type Job = Exclude<ToReader, { type: 'piece' }>;
let job: { readonly is: Job; readonly text: Uint8Array; filled: number } | undefined;

async function handle(message: ToReader): Promise<void> {
  if (message.type !== 'piece') {
    job = { is: message, text: new Uint8Array(message.bytes), filled: 0 };
    post({ type: 'taken' });
    return;
  }
  if (job === undefined) return;
  job.text.set(message.bytes, job.filled);
  job.filled += message.bytes.length;
  post({ type: 'taken' });
  if (job.filled < job.text.length) return;
  const { is, text } = job;
  // So that the bytes can go once they are a text.
  job = undefined;
  await work(is, text);
}

async function work(is: Job, text: Uint8Array): Promise<void> {
  if (is.type === 'check') {
    const { verdict, text: shown } = checkRecordText(text);
    post({ type: 'checked', verdict, follows: shown?.length ?? null });
    if (shown !== undefined) sendPieces(shown);
    return;
  }
  const content = await exportRecordText(text, is.request);
  post({ type: 'exported', follows: content.length });
  sendPieces(content);
}

function sendPieces(content: Uint8Array): void {
  for (let at = 0; at < content.length; at += PIECE_BYTES) {
    post({ type: 'piece', bytes: pieceOf(content, at) });
  }
}

port.onMessage((message) => {
  void Promise.resolve()
    .then(() => handle(parseMessage(toReaderSchema, message, 'the main process')))
    .catch((error: unknown) => post({ type: 'failed', error: errorToMessage(error) }));
});
// A terminal sends Ctrl-C to every process in it: the parent decides what it means.
process.on('SIGINT', () => undefined);
