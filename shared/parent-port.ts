import type { Port } from './port.ts';

/** What Electron's utility process adds to `process`: the other end of its message channel. */
interface ParentPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (event: { data: unknown }) => void): void;
}

/** What is used of Node's `process`, so that this code needs no Node. */
export interface ChildSide {
  on(event: 'disconnect', listener: () => void): unknown;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  send?(message: unknown): unknown;
  disconnect(): void;
  exit(code: number): never;
}

function hasParentPort(candidate: object): candidate is { parentPort: ParentPort } {
  return 'parentPort' in candidate && candidate.parentPort !== null && candidate.parentPort !== undefined;
}

/** A child's end of the channel to the process that started it, whichever kind that is. */
export function openParentPort(host: ChildSide): Port {
  if (hasParentPort(host)) {
    const { parentPort } = host;
    return {
      post: (message) => parentPort.postMessage(message),
      onMessage: (handler) => parentPort.on('message', (event) => handler(event.data)),
      close: () => host.exit(0),
    };
  }
  // Without its parent a worker has nobody to work for.
  host.on('disconnect', () => host.exit(0));
  return {
    post: (message) => host.send?.(message),
    onMessage: (handler) => host.on('message', handler),
    close: () => host.disconnect(),
  };
}
