import type { HostEvent } from './host.ts';
import type { RecordDraft } from './record-draft.ts';

/**
 * What a window may ask the main process for, by name. Free of zod, because the preload script is one small bundle; what
 * each may carry is checked where it arrives (main/host-methods.ts).
 */
export const HOST_METHODS = [
  'getState',
  'openRecord',
  'readRecord',
  'saveRecord',
  'closeRecord',
  'exportFile',
  'copyPicture',
  'startRun',
  'cancelRun',
  'attachRun',
  'addModel',
  'removeModel',
  'synthesizeModel',
  'cancelSynthesis',
  'downloadModel',
  'cancelDownload',
  'verifyModel',
  'updateSettings',
] as const;
export type HostMethod = (typeof HOST_METHODS)[number];

/** Electron's channel of a method. */
export function channelOf(method: HostMethod): string {
  return `tokenscope:${method}`;
}

/** A window wants to be told of events from now on. */
export const SUBSCRIBE_CHANNEL = 'tokenscope:subscribe';
/** Events from the main process to a window. */
export const EVENT_CHANNEL = 'tokenscope:event';

/** The page's name for what the preload script gives it. */
export const BRIDGE_NAME = 'tokenscope';

/** What comes over the channel of events: these, and the answer of `attachRun`, whose place among them matters. */
export type FromMain =
  | { type: 'event'; event: HostEvent }
  | { type: 'attached'; request: number; draft: RecordDraft | undefined };
