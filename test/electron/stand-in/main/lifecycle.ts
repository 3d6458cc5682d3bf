/** What the parts of the stand-in know of one another: where the app is in its life, and its browser. */
import type { Chromium } from './chromium.ts';

export const lifecycle = {
  ready: false,
  /** app.enableSandbox() was called. */
  sandboxed: false,
  chromium: undefined as Chromium | undefined,
  bundle: '',
};

export function chromiumNow(): Chromium {
  if (lifecycle.chromium === undefined) throw new Error('the app is not ready');
  return lifecycle.chromium;
}
