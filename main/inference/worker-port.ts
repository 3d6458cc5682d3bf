import type { Port } from '../../shared/port.ts';

/** What Electron's utility process adds to `process`: the other end of its message channel. */
interface ParentPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (event: { data: unknown }) => void): void;
}

function hasParentPort(candidate: object): candidate is { parentPort: ParentPort } {
  return 'parentPort' in candidate && candidate.parentPort !== null && candidate.parentPort !== undefined;
}

/** The worker's end of the channel to the process that started it, whichever kind that is. */
export function openParentPort(): Port {
  const host: object = process;
  if (hasParentPort(host)) {
    const { parentPort } = host;
    return {
      post: (message) => parentPort.postMessage(message),
      onMessage: (handler) => parentPort.on('message', (event) => handler(event.data)),
      close: () => process.exit(0),
    };
  }
  // Without its parent a worker has nobody to measure for.
  process.on('disconnect', () => process.exit(0));
  return {
    post: (message) => process.send?.(message),
    onMessage: (handler) => process.on('message', handler),
    close: () => process.disconnect(),
  };
}
