import { BRIDGE_NAME } from '../shared/channels.ts';
import type { BridgeHost, ProfilerHost } from '../shared/host.ts';
import { openedText } from '../shared/open-record-text.ts';

declare global {
  interface Window {
    /** Put there by the preload script, in Electron alone. */
    readonly [BRIDGE_NAME]?: BridgeHost;
  }
}

/** What a page finds under that name: in a browser nothing. */
export type Bridge = Window[typeof BRIDGE_NAME];

/** The application behind Electron's bridge, or undefined in a browser. */
export function electronHost(): ProfilerHost | undefined {
  const bridge = window[BRIDGE_NAME];
  if (bridge === undefined) return undefined;
  return {
    ...bridge,
    async readRecord(id) {
      const outcome = await bridge.readRecord(id);
      if (!outcome.ok) return outcome;
      const { value } = outcome;
      return { ok: true, value: 'json' in value ? openedText(value, new TextDecoder().decode(value.json)) : value };
    },
  };
}
