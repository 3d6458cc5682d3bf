import { spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { temporaryFolder } from './profiler.ts';

/** A disk of its own that a test can fill up or make read-only. */
export interface SmallDisk {
  readonly path: string;
  /** Fills what is left, but for `spare` bytes. */
  fill(spare?: number): void;
  /** Takes away what filled it. */
  free(): void;
  /** Waits until no file of it is open for writing. */
  readOnly(): Promise<void>;
  remove(): void;
}

/** Undefined where this process may not mount: only the superuser of a machine may. */
export function smallDisk(kilobytes: number): SmallDisk | undefined {
  const path = join(temporaryFolder(), 'disk');
  mkdirSync(path);
  const mount = (...args: string[]) => spawnSync('mount', args).status === 0;
  if (!mount('-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', path)) return undefined;
  return {
    path,
    fill(spare = 0) {
      const file = openSync(join(path, 'filler'), 'w');
      let size = 0;
      try {
        for (;;) size += writeSync(file, Buffer.alloc(4096));
      } catch {
        // Full: that is what this is for.
      }
      ftruncateSync(file, Math.max(0, size - spare));
      closeSync(file);
    },
    free: () => rmSync(join(path, 'filler')),
    async readOnly() {
      while (!mount('-o', 'remount,ro', path)) await setImmediate();
    },
    remove: () => void spawnSync('umount', ['-l', path]),
  };
}

/** Whether this process can make a small disk: for others there is nothing to try. */
export const CAN_MOUNT = (() => {
  const disk = smallDisk(16);
  disk?.remove();
  return disk !== undefined;
})();
