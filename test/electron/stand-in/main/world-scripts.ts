import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WebPreferences } from 'electron';
import { ISOLATED_WORLD } from '../page/names.ts';
import { lifecycle } from './lifecycle.ts';

/** What is run in the two worlds of each document of a page, in this order. */
export function worldScripts(
  preferences: WebPreferences,
): [{ worldName?: string; source: string }, { source: string }] {
  const { preload, contextIsolation = true, nodeIntegration = false, sandbox = true } = preferences;
  const secret = randomUUID();
  const file = (name: string) => readFileSync(join(lifecycle.bundle, `${name}.js`), 'utf8');
  const withNode = nodeIntegration && !sandbox && !lifecycle.sandboxed;
  const preloadSource = preload === undefined ? '' : readFileSync(preload, 'utf8');
  // A preload script belongs to the main frame.
  const inMainFrame = (source: string) => `if (window === window.top) (() => {\n${source}\n})();`;
  return [
    {
      ...(contextIsolation ? { worldName: ISOLATED_WORLD } : {}),
      source: inMainFrame(`${file('isolated-world')}
const require = standIn.start(${JSON.stringify(secret)}, ${contextIsolation});
document.addEventListener(${JSON.stringify(secret)}, () => {
  const module = { exports: {} };
  ((exports) => {\n${preloadSource}\n})(module.exports);
}, { once: true });`),
    },
    { source: inMainFrame(`${file('main-world')}\nstandIn.start(${JSON.stringify(secret)}, ${withNode});`) },
  ];
}
