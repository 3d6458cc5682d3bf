import type { FileHandle } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { freeBytes } from './disk-space.ts';
import { type PinOf, pinOf } from './model-pins.ts';

/** What a download takes from the world besides the network and plain files, so that tests can stand in for it. */
export interface DownloadServices {
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** Milliseconds since 1970, to read dates in answers. */
  readonly date: () => number;
  /** From 0 to 1, without 1. */
  readonly random: () => number;
  /** Rejects once the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Bytes that may still be written where the folder lies. */
  readonly freeBytes: (directory: string) => Promise<number>;
  /** Writes some of the bytes and tells how many. */
  readonly write: (file: FileHandle, bytes: Uint8Array, position: number) => Promise<number>;
  readonly pinOf: PinOf;
}

export const REAL_SERVICES: DownloadServices = {
  now: () => performance.now(),
  date: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) => setTimeout(ms, undefined, { signal }),
  freeBytes,
  write: async (file, bytes, position) => (await file.write(bytes, 0, bytes.length, position)).bytesWritten,
  pinOf,
};
