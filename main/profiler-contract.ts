import type { ExportRequest, PictureRequest } from '../shared/export-formats.ts';
import type {
  AppState,
  HostEvent,
  ModelDownload,
  ModelVerification,
  OpenRecord,
  OpenRecordText,
  Outcome,
  RunRequest,
  Settings,
} from '../shared/host.ts';
import type { RecordDraft } from '../shared/record-draft.ts';
import type { HubAccess } from './download/hub-endpoint.ts';
import type { WorkerHost } from './worker-process.ts';

/** How a person is asked for a place. Each resolves with undefined if they decline; a host without dialogs throws. */
export interface Dialogs {
  openRecord(): Promise<string | undefined>;
  saveRecord(suggestedName: string): Promise<string | undefined>;
  openFolder(): Promise<string | undefined>;
  /** Asks before a file is replaced. `ending` with its dot. */
  saveExport(suggestedName: string, type: { label: string; ending: string }): Promise<string | undefined>;
}

export interface ProfilerOptions {
  version: string;
  host: AppState['host'];
  /** Everything that is remembered lies here. Created if it is missing. */
  dataDirectory: string;
  demoModel: string;
  sampleRecord: string;
  forkWorker: () => WorkerHost;
  /** The process that reads a large record; by default one of Node. */
  forkRecordWorker?: () => WorkerHost;
  dialogs: Dialogs;
  /** Where models are downloaded from; by default HF_ENDPOINT and HF_TOKEN say. */
  hubAccess?: HubAccess;
  /** Puts a PNG on the clipboard; where it is missing, the window has to do it itself. */
  copyPicture?: (png: Uint8Array) => Promise<void>;
  /** The date, for records and file names. Durations are never taken from it. */
  now?: () => Date;
  newId?: () => string;
  /** How long a worker may go without progress after a cancel before it is ended, in milliseconds. */
  cancelTimeoutMs?: number;
}

/** Where a record comes from, as the main process sees it. Paths come from dialogs, from the system and from drops. */
export type RecordOrigin =
  | { by: 'dialog' }
  | { by: 'recent'; id: string }
  | { by: 'sample' }
  | { by: 'path'; path: string }
  | { by: 'bytes'; name: string; bytes: Uint8Array };
export type FolderOrigin = { by: 'dialog' } | { by: 'path'; path: string };

/** The application without a window: what both hosts put behind ProfilerHost. Every end is an answer, none throws. */
export interface Profiler {
  getState(): AppState;
  /** Events in order. Notices that nobody could be told of so far come first. */
  subscribe(listener: (event: HostEvent) => void): () => void;
  openRecord(origin: RecordOrigin): Promise<Outcome<{ id: string } | undefined>>;
  readRecord(id: string): Promise<Outcome<OpenRecord | OpenRecordText>>;
  saveRecord(request: { id: string; as: boolean }): Promise<Outcome<{ id: string } | undefined>>;
  /** The text of a record, for a host that hands it to a page to save. */
  exportRecord(id: string): Promise<Outcome<{ name: string; text: string | Uint8Array }>>;
  /** A page has saved what it was handed. */
  exportedRecord(id: string, name: string): Promise<Outcome<undefined>>;
  closeRecord(id: string): Promise<Outcome<undefined>>;
  exportFile(request: ExportRequest): Promise<Outcome<{ name: string } | undefined>>;
  /** The same content, for a host that hands it to a page. */
  exportContent(request: ExportRequest): Promise<Outcome<{ name: string; content: Uint8Array }>>;
  copyPicture(request: PictureRequest): Promise<Outcome<undefined>>;
  startRun(request: RunRequest): Promise<Outcome<undefined>>;
  cancelRun(): Promise<Outcome<undefined>>;
  attachRun(): RecordDraft | undefined;
  lastRun(): Extract<HostEvent, { type: 'run_ended' }> | null;
  addModel(origin: FolderOrigin): Promise<Outcome<{ id: string } | undefined>>;
  removeModel(id: string): Promise<Outcome<undefined>>;
  synthesizeModel(preset: string): Promise<Outcome<{ id: string } | undefined>>;
  cancelSynthesis(): Promise<Outcome<undefined>>;
  downloadModel(request: ModelDownload): Promise<Outcome<{ id: string } | undefined>>;
  cancelDownload(): Promise<Outcome<undefined>>;
  verifyModel(id: string): Promise<Outcome<ModelVerification>>;
  updateSettings(settings: Partial<Settings>): Promise<Outcome<undefined>>;
  /** For the host itself: the state whenever it changes. What windows are told stays theirs. */
  watch(listener: (state: AppState) => void): void;
  /** Tries once more to keep records that have no file yet, and says how many would be lost by closing. */
  lostOnClose(): Promise<number>;
  /** Tells a window something that nobody asked for. */
  emit(event: HostEvent): void;
  /** Ends what is going on and keeps it, then waits until everything is on the disk. */
  close(): Promise<void>;
}
