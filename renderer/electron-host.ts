import { BRIDGE_NAME } from '../shared/channels.ts';
import type { ProfilerHost } from '../shared/host.ts';

declare global {
  interface Window {
    /** Put there by the preload script, in Electron alone. */
    readonly [BRIDGE_NAME]?: ProfilerHost;
  }
}

/** The application behind Electron's bridge, or undefined in a browser. */
export function electronHost(): ProfilerHost | undefined {
  return window[BRIDGE_NAME];
}
