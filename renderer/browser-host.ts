import { type ExportRequest, exportFormat } from '../shared/export-formats.ts';
import type {
  AppState,
  HostEvent,
  HostFile,
  OpenRecord,
  OpenRecordText,
  Outcome,
  ProfilerHost,
} from '../shared/host.ts';
import { openedText } from '../shared/open-record-text.ts';
import type { RecordDraft } from '../shared/record-draft.ts';
import { CHUNK_BYTES } from '../shared/socket-messages.ts';
import { chooseFile, copyPicture, downloadFile } from './browser-files.ts';
import { PageSocket } from './page-socket.ts';

/**
 * The application behind a WebSocket of this machine. Files are handed over as bytes, saving is a download; what only a
 * dialog of the system could do is refused in words.
 */
export function browserHost(address: Location = location): ProfilerHost {
  const listeners = new Set<(event: HostEvent) => void>();
  const tell = (event: HostEvent) => {
    for (const listener of [...listeners]) listener(event);
  };
  /** Whether the window shows a run: then it has to learn of its end, also of one that came while it was cut off. */
  let following = false;
  /** While the draft of a run is fetched, what it will hold already is left out. */
  let fetching = false;

  const socket = new PageSocket(`ws://${address.host}`, tokenOf(address), {
    onEvent(event) {
      if (event.type === 'run_started') following = true;
      if (event.type === 'run_ended') following = false;
      if (event.type === 'run_event' && fetching) return;
      tell(event);
    },
    onLost: (message) => tell({ type: 'notice', kind: 'error', message }),
    async onReturn(lastRun) {
      fetching = true;
      try {
        const [state, draft] = await Promise.all([
          read<AppState>('getState'),
          read<RecordDraft | undefined>('attachRun'),
        ]);
        tell({ type: 'state', state });
        if (draft !== undefined) tell({ type: 'run_started', draft });
        else if (following && state.run === null)
          tell(lastRun ?? { type: 'run_ended', id: null, kind: 'info', notice: null });
        following = draft !== undefined || state.run !== null;
      } finally {
        fetching = false;
      }
      tell({ type: 'notice', kind: 'info', message: 'The connection to Tokenscope is back.' });
    },
  });

  /** The value of an answer that is never refused. */
  async function read<T>(method: 'getState' | 'attachRun'): Promise<T> {
    const outcome = await socket.request<T>(method);
    if (outcome.ok) return outcome.value;
    throw new Error(outcome.error.message);
  }

  /** One file at a time: the bytes on the wire do not say whose they are. */
  let files: Promise<unknown> = Promise.resolve();
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = files.then(work);
    files = turn.catch(() => undefined);
    return turn;
  }

  async function openFile(file: HostFile): Promise<Outcome<{ id: string }>> {
    const upload = await socket.request<{ id: string }>('upload', { bytes: file.size });
    if (!upload.ok) return upload;
    for (let at = 0; at < file.size; at += CHUNK_BYTES) {
      await socket.sendChunk(await file.slice(at, at + CHUNK_BYTES).arrayBuffer());
    }
    return socket.request('openRecord', { by: 'upload', upload: upload.value.id, name: file.name });
  }

  async function fileOf(request: ExportRequest): Promise<Outcome<{ name: string; content: Blob }>> {
    const { outcome, content } = await socket.requestBytes<{ name: string }>('exportBytes', request);
    if (!outcome.ok) return outcome;
    if (content === undefined) throw new Error('the file did not come');
    const { media } = exportFormat(request.format);
    return { ok: true, value: { name: outcome.value.name, content: content.slice(0, content.size, media) } };
  }

  return {
    async getState() {
      const state = await read<AppState>('getState');
      following = state.run !== null;
      return state;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async openRecord(source) {
      switch (source.by) {
        case 'dialog': {
          const file = await chooseFile();
          return file === undefined ? { ok: true, value: undefined } : inTurn(() => openFile(file));
        }
        case 'file':
          return inTurn(() => openFile(source.file));
        case 'recent':
        case 'sample':
          return socket.request('openRecord', source);
      }
    },
    async readRecord(id) {
      type Text = Omit<OpenRecordText, 'json'>;
      const { outcome, content } = await socket.requestBytes<OpenRecord | Text>('readRecord', id);
      if (!outcome.ok) return outcome;
      const { value } = outcome;
      if ('record' in value || 'readable' in value) return { ok: true, value };
      if (content === undefined) throw new Error('the record did not come');
      return { ok: true, value: openedText(value, await content.text()) };
    },
    saveRecord: (request) =>
      inTurn(async () => {
        const { outcome, content } = await socket.requestBytes<{ name: string } | undefined>('exportRecord', request);
        if (!outcome.ok) return outcome;
        // It is saved already.
        if (outcome.value === undefined || content === undefined) return { ok: true, value: { id: request.id } };
        const { name } = outcome.value;
        downloadFile(name, content.slice(0, content.size, 'application/json'));
        const noted = await socket.request('exportedRecord', { id: request.id, name });
        return noted.ok ? { ok: true, value: { id: request.id } } : noted;
      }),
    closeRecord: (id) => socket.request('closeRecord', id),
    exportFile: (request) =>
      inTurn(async () => {
        const file = await fileOf(request);
        if (!file.ok) return file;
        downloadFile(file.value.name, file.value.content);
        return { ok: true, value: { name: file.value.name } };
      }),
    copyPicture: (request) =>
      inTurn(async () => {
        const file = await fileOf({ ...request, format: 'png' });
        return file.ok ? copyPicture(file.value.content) : file;
      }),
    startRun: (request) => socket.request('startRun', request),
    cancelRun: () => socket.request('cancelRun'),
    attachRun: () => read<RecordDraft | undefined>('attachRun'),
    addModel: () => socket.request('addModel'),
    removeModel: (id) => socket.request('removeModel', id),
    synthesizeModel: (preset) => socket.request('synthesizeModel', preset),
    cancelSynthesis: () => socket.request('cancelSynthesis'),
    downloadModel: (request) => socket.request('downloadModel', request),
    cancelDownload: () => socket.request('cancelDownload'),
    verifyModel: (id) => socket.request('verifyModel', id),
    updateSettings: (settings) => socket.request('updateSettings', settings),
  };
}

function tokenOf({ hash }: Location): string {
  return new URLSearchParams(hash.slice(1)).get('token') ?? '';
}
