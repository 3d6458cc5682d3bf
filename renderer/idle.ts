/**
 * Tells when the window has nothing left to do: no request to the application is pending, no drawing is due and the
 * state is on screen. Tests wait for this instead of for a time.
 */

let pending = 0;
let settling = false;
const waiting = new Set<() => void>();

/** Something has begun; call the result once when it is over. */
export function busy(): () => void {
  pending += 1;
  document.documentElement.dataset['idle'] = 'false';
  let over = false;
  return () => {
    if (over) return;
    over = true;
    pending -= 1;
    settle();
  };
}

export function idle(): Promise<void> {
  return new Promise((resolve) => {
    waiting.add(resolve);
    settle();
  });
}

/** Idle only if nothing new began within two frames: React and the canvases draw in the first. */
function settle(): void {
  if (pending > 0 || settling) return;
  settling = true;
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      settling = false;
      if (pending > 0) return;
      document.documentElement.dataset['idle'] = 'true';
      for (const resolve of waiting) resolve();
      waiting.clear();
    }),
  );
}

/** Runs once in the next frame, however often it is asked for. */
export function frameTask(task: () => void): { request(): void; cancel(): void } {
  let handle: number | undefined;
  let done: (() => void) | undefined;
  return {
    request() {
      if (handle !== undefined) return;
      done = busy();
      handle = requestAnimationFrame(() => {
        handle = undefined;
        const finish = done;
        try {
          task();
        } finally {
          finish?.();
        }
      });
    },
    cancel() {
      if (handle !== undefined) cancelAnimationFrame(handle);
      handle = undefined;
      done?.();
    },
  };
}
