import { WorldLink } from './world-link.ts';

/** Runs in the page's own world before anything of the page does, and leaves behind what the preload script exposes. */
export function start(secret: string, withNode: boolean): void {
  const { port1 } = new MessageChannel();
  const link = new WorldLink(port1, 'page');
  link.onExpose = (name, value) => {
    if (name in window) throw new Error('Cannot bind an API on top of an existing property on the window object');
    Object.defineProperty(window, name, { value: deepFreeze(value), enumerable: true });
  };
  document.dispatchEvent(new MessageEvent(secret, { ports: [port1] }));
  if (withNode) plantNode();
}

function deepFreeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const entry of Object.values(value)) deepFreeze(entry);
  return Object.freeze(value);
}

/** What a page has that is not kept from Node. It is there to be found, not to be used. */
function plantNode(): void {
  const require = (name: string) => {
    throw new Error(`the stand-in has no Node in its pages, and so no ${name}`);
  };
  Object.assign(window, { require, process: { type: 'renderer', versions: {} }, module: { exports: {} } });
}
