import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { hubAccess } from '../../main/download/hub-endpoint.ts';
import { STALL_MS } from '../../main/download/retry.ts';
import { type DownloadServices, REAL_SERVICES } from '../../main/download/services.ts';
import { downloadModel, type DownloadOptions } from '../../main/model-download.ts';
import type { DownloadedModel, DownloadProgress, DownloadRequest } from '../../shared/model-download.ts';
import { COMMIT, type Hub } from './hub.ts';

/** Time that passes by the call, and waits that are over at once: what they were asked for is kept. */
export function clockFor(hub: Hub): DownloadServices & { waits: number[] } {
  const waits: number[] = [];
  let now = 0;
  return {
    ...REAL_SERVICES,
    waits,
    now: () => {
      now += 40;
      return now;
    },
    date: () => Date.parse('2026-01-01T00:00:00Z'),
    random: () => 0.5,
    sleep: async (ms, signal) => {
      if (ms === STALL_MS) {
        // The watch over a connection: its time is up only once the hub has fallen silent.
        while (!hub.stalled) {
          await new Promise<void>((resolve, reject) => {
            const stop = () => reject(new Error('over'));
            if (signal.aborted) stop();
            signal.addEventListener('abort', stop, { once: true });
            hub.onStall = resolve;
          });
        }
      } else waits.push(ms);
      await setImmediate();
      signal.throwIfAborted();
    },
  };
}

export interface Got {
  model: DownloadedModel;
  events: DownloadProgress[];
  waits: number[];
}

export interface GetOptions extends Partial<DownloadOptions> {
  token?: string;
  services?: DownloadServices;
}

/** Downloads the tiny model's q4 variant from a hub, with a clock of its own. */
export async function get(
  hub: Hub,
  destination: string,
  request: Partial<DownloadRequest> = {},
  { token, ...options }: GetOptions = {},
): Promise<Got> {
  const events: DownloadProgress[] = [];
  const clock = clockFor(hub);
  const model = await downloadModel(
    { model: hub.model, revision: COMMIT, variant: 'q4', force: false, destination, ...request },
    {
      signal: new AbortController().signal,
      access: hubAccess({ HF_ENDPOINT: hub.endpoint, HF_TOKEN: token }),
      onProgress: (event) => events.push(event),
      services: clock,
      ...options,
    },
  );
  return { model, events, waits: clock.waits };
}

/** Every file under a folder, by path. */
export function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .toSorted();
}
