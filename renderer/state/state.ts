import type { AppState, HostError } from '../../shared/host.ts';
import type { FileFormat } from '../../shared/export-formats.ts';
import type { Problem } from '../../shared/problem.ts';
import type { TraceRecord } from '../../shared/record.ts';
import type { RecordSummary } from '../../shared/summary.ts';
import type { Pair } from '../compare/pair.ts';
import type { Trace } from '../trace/lane.ts';
import type { LiveTrace } from '../trace/live-trace.ts';

/** What the window shows, all of it. */
export interface WindowState {
  /** Null until the application has answered. */
  app: AppState | null;
  /** The application cannot be reached. */
  lost: string | null;
  records: ReadonlyMap<string, RecordState>;
  /** A record's id, LIVE for the run in progress, or null for the start page. */
  active: string | null;
  view: View;
  marks: ReadonlyMap<string, Marks>;
  /** What is compared in a tab, once somebody has chosen it. */
  pairs: ReadonlyMap<string, Pair>;
  /** The lanes of the two that are compared on screen. */
  pairTrace: Trace | null;
  live: { readonly trace: LiveTrace; readonly version: number } | null;
  /** The name of the plan that the run button starts. */
  planName: string;
  dialog: Dialog | null;
  notices: readonly Notice[];
  /** As the dialog was left. A theme of null is that of the window. */
  exportChoice: { readonly format: FileFormat; readonly scale: string; readonly theme: 'light' | 'dark' | null };
  /** What was done, for those who hear the window. */
  spoken: string;
}

export const LIVE = 'live';

export type View = 'timeline' | 'record' | 'compare' | 'report';
export const VIEWS: readonly { id: View; label: string }[] = [
  { id: 'timeline', label: 'Timeline' },
  { id: 'compare', label: 'Compare' },
  { id: 'report', label: 'Report' },
  { id: 'record', label: 'Record' },
];

export type RecordState =
  | { status: 'loading' }
  | { status: 'error'; error: HostError }
  | { status: 'refused'; problems: readonly Problem[]; readable: Partial<TraceRecord> }
  | { status: 'ready'; record: TraceRecord; summary: RecordSummary; trace: Trace };

export type OpenedRecord = Extract<RecordState, { status: 'ready' }>;

/** What is selected in a tab. */
export interface Marks {
  /** Index of the group in the trace, and of the sample in it. */
  readonly sample: { readonly group: number; readonly sample: number } | null;
  readonly token: number | null;
  readonly range: { readonly from: number; readonly to: number } | null;
  readonly collapsed: ReadonlySet<string>;
}

export const NO_MARKS: Marks = { sample: null, token: null, range: null, collapsed: new Set() };

export type Dialog =
  | { kind: 'setup' }
  | { kind: 'keys' }
  | { kind: 'export' }
  /** A tab is to be closed that is not saved. */
  | { kind: 'close'; id: string; name: string };

export interface Notice {
  readonly id: number;
  readonly kind: 'info' | 'error';
  readonly message: string;
  readonly remedy: string | null;
}
