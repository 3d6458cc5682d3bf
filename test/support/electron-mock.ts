import { fork } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { vi } from 'vitest';

/**
 * What the shell uses of Electron, recording how it is used. Only for the thin files that are nothing but calls into
 * Electron; importing the real package outside of it would download its binary.
 */
export class FakeContents extends EventEmitter {
  readonly id: number;
  url: string;
  readonly sent: [channel: string, message: unknown][] = [];
  readonly mainFrame: { url: string };
  openHandler: ((details: { url: string }) => { action: string }) | undefined;
  constructor(id = 1, url = 'app://tokenscope/index.html') {
    super();
    this.id = id;
    this.url = url;
    this.mainFrame = { url };
  }
  getURL() {
    return this.url;
  }
  isDestroyed() {
    return false;
  }
  send(channel: string, message: unknown) {
    this.sent.push([channel, message]);
  }
  setWindowOpenHandler(handler: (details: { url: string }) => { action: string }) {
    this.openHandler = handler;
  }
}

export class FakeWindow extends EventEmitter {
  static readonly all: FakeWindow[] = [];
  readonly options: Record<string, unknown>;
  readonly webContents = new FakeContents();
  readonly calls: string[] = [];
  bounds = { x: 10, y: 20, width: 1000, height: 700 };
  maximized = false;
  minimized = false;
  loaded: string | undefined;
  constructor(options: Record<string, unknown>) {
    super();
    this.options = options;
    FakeWindow.all.push(this);
  }
  show() {
    this.calls.push('show');
  }
  focus() {
    this.calls.push('focus');
  }
  restore() {
    this.calls.push('restore');
  }
  reload() {
    this.calls.push('reload');
  }
  maximize() {
    this.maximized = true;
  }
  isMaximized() {
    return this.maximized;
  }
  isMinimized() {
    return this.minimized;
  }
  isDestroyed() {
    return false;
  }
  getNormalBounds() {
    return this.bounds;
  }
  setBackgroundColor(colour: string) {
    this.calls.push(`background ${colour}`);
  }
  loadURL(url: string) {
    this.loaded = url;
    return Promise.resolve();
  }
  /** As the person does it. True: nothing prevented it. */
  close(): boolean {
    let prevented = false;
    this.emit('close', { preventDefault: () => (prevented = true) });
    return !prevented;
  }
}

/** A utility process, as far as the shell sees it, that is a child process of Node. */
export class NodeUtilityProcess extends EventEmitter {
  readonly #child;
  constructor(script: string) {
    super();
    this.#child = fork(script, [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.#child.on('message', (message) => this.emit('message', message));
    this.#child.on('exit', (code) => this.emit('exit', code ?? 1));
  }
  get pid() {
    return this.#child.pid;
  }
  postMessage(message: unknown) {
    if (this.#child.connected) this.#child.send(message as object);
  }
  kill() {
    return this.#child.kill();
  }
}

type Handler = (event: unknown, ...params: unknown[]) => unknown;

export function electronMock() {
  const app = Object.assign(new EventEmitter(), {
    isPackaged: true,
    enableSandbox: vi.fn(),
    requestSingleInstanceLock: vi.fn(() => true),
    whenReady: vi.fn(() => Promise.resolve()),
    getPath: vi.fn(() => '/documents'),
    quit: vi.fn(),
    exit: vi.fn(),
  });
  const handlers = new Map<string, Handler>();
  return {
    app,
    BrowserWindow: FakeWindow,
    clipboard: { write: vi.fn(() => Promise.resolve()) },
    ClipboardItem: class {
      constructor(readonly items: Record<string, Blob>) {}
    },
    contextBridge: { exposeInMainWorld: vi.fn() },
    dialog: {
      showOpenDialog: vi.fn(),
      showSaveDialog: vi.fn(),
      showErrorBox: vi.fn(),
      showMessageBoxSync: vi.fn(() => 0),
    },
    ipcMain: {
      handlers,
      handle: vi.fn((channel: string, handler: Handler) => void handlers.set(channel, handler)),
    },
    ipcRenderer: Object.assign(new EventEmitter(), { invoke: vi.fn() }),
    Menu: { buildFromTemplate: vi.fn((template: unknown) => template), setApplicationMenu: vi.fn() },
    nativeTheme: Object.assign(new EventEmitter(), { shouldUseDarkColors: true, themeSource: 'system' }),
    protocol: { registerSchemesAsPrivileged: vi.fn(), handle: vi.fn() },
    screen: { getAllDisplays: vi.fn(() => [{ workArea: { x: 0, y: 0, width: 1920, height: 1040 } }]) },
    session: {
      defaultSession: {
        setPermissionRequestHandler: vi.fn(),
        setPermissionCheckHandler: vi.fn(),
        setDevicePermissionHandler: vi.fn(),
        setDisplayMediaRequestHandler: vi.fn(),
      },
    },
    shell: { openExternal: vi.fn(() => Promise.resolve()) },
    utilityProcess: { fork: vi.fn((script: string): unknown => new NodeUtilityProcess(script)) },
    webUtils: { getPathForFile: vi.fn() },
  };
}
