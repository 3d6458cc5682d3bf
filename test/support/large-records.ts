import type { WorkerHost } from '../../main/worker-process.ts';
import { forkNodeRecordWorker } from '../../main/record-worker-host.ts';
import { LARGE_RECORD_BYTES } from '../../main/record-reader.ts';
import type { Sample, TraceRecord } from '../../shared/record.ts';
import { recordOf, sample } from './records.ts';

/** Consistent, and just large enough to be read by a process of its own. */
export function largeRecord(change: Partial<TraceRecord> = {}): TraceRecord {
  const one: Sample = sample({ text: 'é'.repeat(100) });
  const count = Math.ceil(LARGE_RECORD_BYTES / JSON.stringify(one).length) + 1;
  return recordOf(
    Array.from({ length: count }, () => one),
    { created_at: '2026-03-04T05:06:07.000Z', ...change },
  );
}

/** Record workers whose answers wait until they are released, for a test that looks at what goes on meanwhile. */
export class HeldWorkers {
  readonly started: WorkerHost[] = [];
  readonly ends: Promise<string>[] = [];
  #held: (() => void)[] | undefined = [];

  readonly fork = (): WorkerHost => {
    const host = forkNodeRecordWorker();
    this.started.push(host);
    this.ends.push(new Promise((resolve) => host.onExit(resolve)));
    const { port } = host;
    return {
      ...host,
      port: {
        ...port,
        onMessage: (handler) =>
          port.onMessage((message) => {
            if (this.#held === undefined) handler(message);
            else this.#held.push(() => handler(message));
          }),
      },
    };
  };

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const deliver of held) deliver();
  }
}
