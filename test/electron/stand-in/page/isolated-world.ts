import type { ContextBridge, IpcRenderer, IpcRendererEvent, WebUtils } from 'electron';
import { decode, encode } from '../codec.ts';
import { only } from '../only.ts';
import { type FromPage, SEND_BINDING, type ToPage } from './names.ts';
import { WorldLink } from './world-link.ts';

/** Runs beside a page, in the world of its preload script, and gives that script the `electron` it may have there. */
type Listener = (event: IpcRendererEvent, ...params: unknown[]) => void;
interface Call {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

const listeners = new Map<string, Set<Listener>>();
const calls = new Map<number, Call>();
const paths = new WeakMap<File, string>();
const unsent: string[] = [];
let duePaths: string[] = [];
let nextCall = 1;

export function start(secret: string, isolated: boolean): (name: string) => unknown {
  let link: WorldLink | undefined;
  document.addEventListener(
    secret,
    (event) => {
      const [port] = (event as MessageEvent).ports;
      if (port !== undefined) link = new WorldLink(port, 'preload');
    },
    { once: true },
  );
  // The main process calls these two by name.
  Object.assign(globalThis, { standInHear: hear, standInFlush: flush });
  window.addEventListener('drop', rememberFiles, true);
  window.addEventListener('keydown', (event) => setTimeout(() => offerKey(event)));

  const contextBridge = {
    exposeInMainWorld(name, api) {
      if (!isolated) throw new Error('contextBridge API can only be used when contextIsolation is enabled');
      link?.expose(name, api);
    },
  } satisfies Pick<ContextBridge, 'exposeInMainWorld'>;
  const ipcRenderer: Pick<IpcRenderer, 'invoke' | 'on'> = {
    invoke(channel, ...params) {
      const call = nextCall++;
      return new Promise((resolve, reject) => {
        calls.set(call, { resolve, reject });
        try {
          send({ type: 'invoke', call, channel, params });
        } catch (error) {
          calls.delete(call);
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    },
    on(channel, listener) {
      const all = listeners.get(channel) ?? new Set();
      listeners.set(channel, all.add(listener));
      return ipcRenderer as unknown as IpcRenderer;
    },
  };
  const webUtils = {
    getPathForFile(file) {
      if (!(file instanceof Blob))
        throw new TypeError('getPathForFile expected to receive a File object but one was not provided');
      return paths.get(file) ?? '';
    },
  } satisfies WebUtils;
  const electron = only('electron (in a preload script)', {
    contextBridge: only('contextBridge', contextBridge),
    ipcRenderer: only('ipcRenderer', ipcRenderer),
    webUtils,
  });
  return (name) => {
    if (name === 'electron') return electron;
    throw new Error(`module not found: ${name}`);
  };
}

function send(message: FromPage): void {
  unsent.push(encode(message));
  flush();
}

/** After a crash the way out is there again a moment later than the page. */
function flush(): void {
  const binding: unknown = Reflect.get(globalThis, SEND_BINDING);
  if (typeof binding !== 'function') return;
  for (const text of unsent.splice(0)) (binding as (text: string) => void)(text);
}

function hear(text: string): void {
  const message = decode(text) as ToPage;
  switch (message.type) {
    case 'send':
      for (const listener of listeners.get(message.channel) ?? []) listener({} as IpcRendererEvent, ...message.params);
      return;
    case 'reply': {
      const call = calls.get(message.call);
      calls.delete(message.call);
      if (message.ok) call?.resolve(message.value);
      else call?.reject(new Error(message.message));
      return;
    }
    case 'files':
      duePaths = message.paths;
  }
}

/** A file that came from outside has a path; one that a script has made has none, whatever it calls itself. */
function rememberFiles(event: DragEvent): void {
  if (!event.isTrusted) return;
  for (const [index, file] of [...(event.dataTransfer?.files ?? [])].entries()) paths.set(file, duePaths[index] ?? '');
  duePaths = [];
}

function offerKey(event: KeyboardEvent): void {
  const { defaultPrevented, code, ctrlKey: ctrl, shiftKey: shift, altKey: alt, metaKey: meta } = event;
  if (event.isTrusted && !defaultPrevented) send({ type: 'key', code, ctrl, shift, alt, meta });
}
