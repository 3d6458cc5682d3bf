import { z } from 'zod';
import type { CommandId } from './commands.ts';
import type { ExportRequest, PictureRequest } from './export-formats.ts';
import type { RunEvent } from './messages.ts';
import type { DownloadProgress, ResolvedDownload } from './model-download.ts';
import type { Problem } from './problem.ts';
import { planSchema } from './plan.ts';
import type { ModelInfo, TraceRecord } from './record.ts';
import type { RecordDraft } from './record-draft.ts';

/**
 * All that a window may ask of the application. Electron answers over IPC, the browser host over a WebSocket; a window
 * cannot tell which one it has. Files and folders are opaque ids here: a window never names a path.
 */
export interface ProfilerHost {
  /** The application as it is now. */
  getState(): Promise<AppState>;
  /** Calls back on every change until the returned function is called. Events arrive in order, none is left out. */
  subscribe(listener: (event: HostEvent) => void): () => void;

  /** Opens a record as a tab, or finds the tab that has it. Undefined: the person declined. */
  openRecord(source: RecordSource): Promise<Outcome<{ id: string } | undefined>>;
  /** A record that is open: its content, or what is wrong with it and the parts that can be read all the same. */
  readRecord(id: string): Promise<Outcome<OpenRecord>>;
  /** Saves where the record came from; asks for a place if it has none or `as` is true. Undefined: the person declined. */
  saveRecord(request: { id: string; as: boolean }): Promise<Outcome<{ id: string } | undefined>>;
  /** Closes a tab. A record that is not saved is lost: the window asks before. */
  closeRecord(id: string): Promise<Outcome<undefined>>;

  /** Writes the record, or a report of it, as a file of another format, where the person says. Undefined: they declined. */
  exportFile(request: ExportRequest): Promise<Outcome<{ name: string } | undefined>>;
  /** Puts the report on the clipboard as a picture. */
  copyPicture(request: PictureRequest): Promise<Outcome<undefined>>;

  startRun(request: RunRequest): Promise<Outcome<undefined>>;
  /** Ends the run at the next token and keeps what was measured. */
  cancelRun(): Promise<Outcome<undefined>>;
  /** The run in progress with all it has measured so far, for a window that was reloaded. */
  attachRun(): Promise<RecordDraft | undefined>;

  addModel(source: FolderSource): Promise<Outcome<{ id: string } | undefined>>;
  /** Takes a model off the list. Nothing is removed from disk. */
  removeModel(id: string): Promise<Outcome<undefined>>;
  /** Writes a model of a known shape with random weights and adds it to the list. */
  synthesizeModel(preset: string): Promise<Outcome<{ id: string } | undefined>>;
  cancelSynthesis(): Promise<Outcome<undefined>>;
  /** Downloads a model of the hub into our own folder and adds it. Undefined: cancelled; what arrived is kept. */
  downloadModel(request: ModelDownload): Promise<Outcome<{ id: string } | undefined>>;
  cancelDownload(): Promise<Outcome<undefined>>;
  /** Reads every byte of a downloaded model and holds it against what was downloaded. */
  verifyModel(id: string): Promise<Outcome<ModelVerification>>;

  updateSettings(settings: Partial<Settings>): Promise<Outcome<undefined>>;
}

/** Something a person did came to an end: well, or with a message for them. */
export type Outcome<T> = { ok: true; value: T } | { ok: false; error: HostError };
export interface HostError {
  code: string;
  message: string;
  /** Where: a file's name or a place in a record. */
  path: string | null;
  remedy: string | null;
}

export type RecordSource =
  | { by: 'dialog' }
  /** Dropped or picked in the window. */
  | { by: 'file'; file: HostFile }
  | { by: 'recent'; id: string }
  /** The record that ships with the app. */
  | { by: 'sample' };
export type FolderSource = { by: 'dialog' } | { by: 'file'; file: HostFile };
/** What is used of the DOM's File, so that this code needs no DOM. */
export interface HostFile {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  slice(start: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> };
}

export const settingsSchema = z.object({
  theme: z.enum(['system', 'light', 'dark']),
  reopen_tabs: z.boolean(),
});
export type Settings = z.infer<typeof settingsSchema>;
export const DEFAULT_SETTINGS: Settings = { theme: 'system', reopen_tabs: true };

export const runRequestSchema = z.strictObject({ model: z.string(), plan: planSchema });
export type RunRequest = z.infer<typeof runRequestSchema>;

/** As on the hub: `owner/name`, a commit, branch or tag, and what follows in the name of the graph: q4, fp16, fp32. */
export const modelDownloadSchema = z.strictObject({
  model: z.string().max(200),
  revision: z.string().max(200),
  variant: z.string().max(40),
});
export type ModelDownload = z.infer<typeof modelDownloadSchema>;

export interface ModelVerification {
  /** What is wrong with a file is in words; null for one that is as it was downloaded. */
  files: { path: string; bytes: number; problem: string | null }[];
}

export interface AppState {
  version: string;
  host: 'electron' | 'browser';
  models: ModelEntry[];
  tabs: TabEntry[];
  /** Most recent first. */
  recent: { id: string; name: string /** Folder, shortened for display. */; place: string }[];
  settings: Settings;
  run: RunState | null;
  /** The names of large records that are being read, in order. */
  opening: string[];
  synthesis: { preset: string; done_bytes: number; total_bytes: number } | null;
  download: DownloadState | null;
  /** A model that is being read to be verified. */
  verification: { model: string; done_bytes: number; total_bytes: number } | null;
  /** Shapes that can be synthesized. */
  presets: { name: string; label: string; description: string; bytes: number }[];
}

export interface DownloadState extends ModelDownload {
  /** Null until the hub has said what the request means. */
  resolved: ResolvedDownload | null;
  progress: DownloadProgress | null;
}

/** What a folder says of itself before anything of it is loaded. */
export interface ModelDisk {
  graph: string;
  /** Of the graph and its data, as they lie on the disk. */
  weight_bytes: number;
  context_tokens: number | null;
}

/** Where a model was downloaded from. */
export interface ModelSource {
  repository: string;
  /** The full commit hash; of one that is not complete, what was asked for. */
  revision: string;
  license: string | null;
  variant: string;
  complete: boolean;
}

export interface ModelEntry {
  id: string;
  name: string;
  kind: 'demo' | 'folder' | 'synthetic';
  /** Folder, shortened for display. */
  place: string;
  /** Null for a folder that cannot be used. */
  disk: ModelDisk | null;
  /** Null for a model that was not downloaded by us. */
  source: ModelSource | null;
  /** Known once the model was loaded. */
  info: ModelInfo | null;
  /** Why it cannot be used, or null. */
  problem: string | null;
}

export interface TabEntry {
  id: string;
  name: string;
  place: string;
  /** What it holds is not on disk yet. */
  unsaved: boolean;
  /** False: the record was refused; the view lists why. */
  valid: boolean;
}

export interface RunState {
  phase: 'loading' | 'running' | 'stopping';
  stage: 'model files' | 'tokenizer' | 'model' | null;
  model: string;
  model_name: string;
  plan_name: string;
  /** Steps done and in all, and the current one in words. */
  step: { index: number; count: number; words: string } | null;
}

export type OpenRecord =
  | { valid: true; record: TraceRecord }
  /** `readable` holds the sections that fit the format on their own. */
  | { valid: false; problems: Problem[]; readable: Partial<TraceRecord> };

/**
 * An OpenRecord as text, for a large one. The window builds the values: doing so in the main process, or cloning them
 * from there, would hold up everything else.
 */
export interface OpenRecordText {
  valid: boolean;
  problems: Problem[];
  /** UTF-8 JSON of the record; of a refused one, of the sections that can be read. */
  json: Uint8Array;
}

/** The application as a bridge to another process has it: a large record comes over as its text. */
export type BridgeHost = Omit<ProfilerHost, 'readRecord'> & {
  readRecord(id: string): Promise<Outcome<OpenRecord | OpenRecordText>>;
};

export type HostEvent =
  | { type: 'state'; state: AppState }
  /**
   * A run has its model: `draft` holds what was measured so far and grows by the events that follow. It is empty at the
   * start of a run; a window that could not keep up is told again, with all that it missed, and starts over from there.
   */
  | { type: 'run_started'; draft: RecordDraft }
  | { type: 'run_event'; event: RunEvent }
  /**
   * The run is over and its record is open as a tab, if there is one; `notice` says why unless it ran to its end. That
   * somebody stopped it is `info`, all else an `error`.
   */
  | { type: 'run_ended'; id: string | null; kind: 'info' | 'error'; notice: string | null }
  /** Something worth telling that nobody asked for: the worker died and was restarted, for one. */
  | { type: 'notice'; kind: 'info' | 'error'; message: string }
  /** A record was opened from outside the window (the file manager, the command line): bring its tab to the front. */
  | { type: 'opened'; id: string }
  /** A command was chosen in the native menu. */
  | { type: 'command'; id: CommandId };
