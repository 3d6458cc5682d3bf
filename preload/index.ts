import { contextBridge, ipcRenderer, webUtils } from 'electron';
import {
  BRIDGE_NAME,
  channelOf,
  EVENT_CHANNEL,
  type FromMain,
  type HostMethod,
  SUBSCRIBE_CHANNEL,
} from '../shared/channels.ts';
import type { AppState, BridgeHost, HostEvent, HostFile, Outcome, RecordSource } from '../shared/host.ts';
import type { RecordDraft } from '../shared/record-draft.ts';

/**
 * ProfilerHost for the page: named methods, no channel names, no events of Electron, and no paths. A file that a person
 * dropped is turned into its path here, where the page cannot look.
 */

const listeners = new Set<(event: HostEvent) => void>();
const attaching = new Map<number, (draft: RecordDraft | undefined) => void>();
let nextRequest = 0;
let following = false;

// What the main process sends has the form of its own types: it is the same build, and the one side that is trusted.
ipcRenderer.on(EVENT_CHANNEL, (_event, message: FromMain) => {
  if (message.type === 'event') {
    for (const listener of [...listeners]) listener(message.event);
    return;
  }
  attaching.get(message.request)?.(message.draft);
  attaching.delete(message.request);
});

function ask<T>(method: HostMethod, params?: unknown): Promise<Outcome<T>> {
  return params === undefined ? ipcRenderer.invoke(channelOf(method)) : ipcRenderer.invoke(channelOf(method), params);
}

async function valueOf<T>(asked: Promise<Outcome<T>>): Promise<T> {
  const outcome = await asked;
  if (outcome.ok) return outcome.value;
  throw new Error(outcome.error.message);
}

/** Where a dropped file lies; undefined for one that a script has made. */
function pathOf(file: HostFile): string | undefined {
  const path = file instanceof File ? webUtils.getPathForFile(file) : '';
  return path === '' ? undefined : path;
}

/** Put together anew, field by field: what a page says is no reason to send a path. */
async function recordSource(source: RecordSource): Promise<unknown> {
  switch (source.by) {
    case 'file':
      return fileSource(source.file);
    case 'recent':
      return { by: source.by, id: source.id };
    case 'dialog':
    case 'sample':
      return { by: source.by };
  }
}

async function fileSource(file: HostFile): Promise<unknown> {
  const path = pathOf(file);
  if (path !== undefined) return { by: 'path', path };
  return { by: 'bytes', name: file.name, bytes: new Uint8Array(await file.slice(0, file.size).arrayBuffer()) };
}

const host: BridgeHost = {
  getState: () => valueOf(ask<AppState>('getState')),
  subscribe(listener) {
    listeners.add(listener);
    if (!following) void ipcRenderer.invoke(SUBSCRIBE_CHANNEL);
    following = true;
    return () => void listeners.delete(listener);
  },
  openRecord: async (source) => ask('openRecord', await recordSource(source)),
  readRecord: (id) => ask('readRecord', id),
  saveRecord: (request) => ask('saveRecord', request),
  closeRecord: (id) => ask('closeRecord', id),
  exportFile: (request) => ask('exportFile', request),
  copyPicture: (request) => ask('copyPicture', request),
  startRun: (request) => ask('startRun', request),
  cancelRun: () => ask('cancelRun'),
  attachRun() {
    const request = nextRequest++;
    const answer = new Promise<RecordDraft | undefined>((resolve) => attaching.set(request, resolve));
    void ask('attachRun', request);
    return answer;
  },
  async addModel(source) {
    if (source.by === 'dialog') return ask('addModel', source);
    return ask('addModel', { by: 'path', path: pathOf(source.file) ?? '' });
  },
  removeModel: (id) => ask('removeModel', id),
  synthesizeModel: (preset) => ask('synthesizeModel', preset),
  cancelSynthesis: () => ask('cancelSynthesis'),
  downloadModel: (request) => ask('downloadModel', request),
  cancelDownload: () => ask('cancelDownload'),
  verifyModel: (id) => ask('verifyModel', id),
  updateSettings: (settings) => ask('updateSettings', settings),
};

contextBridge.exposeInMainWorld(BRIDGE_NAME, host);
