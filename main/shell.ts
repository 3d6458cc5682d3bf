import { app, type BrowserWindow, dialog, nativeTheme, session } from 'electron';
import { version } from '../package.json';
import { messageOf } from '../shared/errors.ts';
import { DEMO_MODEL, RENDERER_FOLDER, SAMPLE_RECORD } from './app-paths.ts';
import { registerAppScheme, serveAppProtocol } from './app-protocol.ts';
import { defaultDataDirectory } from './data-directory.ts';
import { lockDataDirectory } from './data-lock.ts';
import { confirmQuit, quitQuestion, systemDialogs } from './dialogs.ts';
import { forkElectronRecordWorker, forkElectronWorker } from './electron-worker.ts';
import { answerWindow, type Ipc } from './ipc.ts';
import { installMenu } from './menu.ts';
import { filesOfCommandLine } from './open-paths.ts';
import { openProfiler } from './profiler.ts';
import type { Profiler } from './profiler-contract.ts';
import { denyPermissions, guardPages } from './security.ts';
import { focusWindow, type MainWindow, openMainWindow } from './window.ts';

/** A page that crashes again and again is not loaded again for ever. */
const MOST_RELOADS = 3;

/** Named when it is used: what an Electron of another version lacks must not keep the app from starting. */
async function copyPicture(png: Uint8Array): Promise<void> {
  const { ClipboardItem, clipboard } = await import('electron');
  const picture = new Blob([Uint8Array.from(png)], { type: 'image/png' });
  await clipboard.write([new ClipboardItem({ 'image/png': picture })]);
}

/** The steps of the start, by name, and what they share. main/index.ts says in which order they are taken. */
export class Shell {
  readonly #dataDirectory = defaultDataDirectory();
  readonly #stamp = new Date().toISOString();
  /** Files that were named before there was an application to open them. */
  #filesDue: string[] = [];
  #release: () => void = () => undefined;
  #profiler: Profiler | undefined;
  #ipc: Ipc | undefined;
  #main: MainWindow | undefined;
  #reloads = 0;
  #quitting: 'no' | 'asking' | 'yes' | 'done' = 'no';
  readonly #notices: string[] = [];

  // Before the app is ready.

  /** False: another instance has taken over what this one was started for, and this one ends. */
  claimInstance(): boolean {
    if (!app.requestSingleInstanceLock()) return false;
    app.on('second-instance', (_event, argv, workingDirectory) => {
      this.#openFiles(filesOfCommandLine(argv, workingDirectory, app.isPackaged));
      if (this.#main !== undefined && !this.#main.window.isDestroyed()) focusWindow(this.#main.window);
    });
    return true;
  }

  sandboxEveryPage(): void {
    app.enableSandbox();
  }

  guardEveryPage(): void {
    guardPages(app);
  }

  registerScheme(): void {
    registerAppScheme();
  }

  /** macOS tells of files by an event that may come before the app is ready. */
  listenForFiles(): void {
    app.on('open-file', (event, path) => {
      event.preventDefault();
      this.#openFiles([path]);
    });
  }

  listenForQuit(): void {
    // The last window is closed in the course of quitting, or begins it itself.
    app.on('window-all-closed', () => undefined);
    app.on('before-quit', (event) => {
      if (this.#quitting === 'done') return;
      event.preventDefault();
      void this.#quit();
    });
  }

  async ready(): Promise<void> {
    await app.whenReady();
  }

  // Once it is ready.

  async lockData(): Promise<void> {
    const lock = await lockDataDirectory(this.#dataDirectory);
    this.#release = () => lock.release();
  }

  async openApplication(): Promise<void> {
    const window = () => this.#main?.window;
    this.#profiler = await openProfiler({
      version,
      host: 'electron',
      dataDirectory: this.#dataDirectory,
      demoModel: DEMO_MODEL,
      sampleRecord: SAMPLE_RECORD,
      forkWorker: () => forkElectronWorker(),
      forkRecordWorker: () => forkElectronRecordWorker(),
      copyPicture,
      dialogs: await systemDialogs(this.#dataDirectory, this.#stamp, (message) => this.#notify(message), window),
    });
    const profiler = this.#profiler;
    const showTheme = ({ settings }: { settings: { theme: typeof nativeTheme.themeSource } }) => {
      if (nativeTheme.themeSource !== settings.theme) nativeTheme.themeSource = settings.theme;
    };
    showTheme(profiler.getState());
    profiler.watch(showTheme);
    for (const message of this.#notices.splice(0)) this.#notify(message);
  }

  denyPermissions(): void {
    denyPermissions(session.defaultSession);
  }

  serveFiles(): void {
    serveAppProtocol(RENDERER_FOLDER);
  }

  answerWindow(): void {
    this.#ipc = answerWindow(this.#application(), (contents) => contents === this.#main?.window.webContents);
  }

  installMenu(): void {
    installMenu((id) => this.#application().emit({ type: 'command', id }));
  }

  async openWindow(): Promise<void> {
    this.#main = await openMainWindow(this.#dataDirectory, this.#stamp, (message) => this.#notify(message));
    const { window } = this.#main;
    window.on('close', (event) => {
      if (this.#quitting === 'yes' || this.#quitting === 'done') return;
      event.preventDefault();
      app.quit();
    });
    const { webContents } = window;
    // Not when a navigation starts: one that is denied leaves the page where it is, and it wants to hear of events.
    webContents.on('did-navigate', () => this.#ipc?.forget(webContents));
    webContents.on('render-process-gone', (_event, { reason }) => this.#reload(window, reason));
  }

  openNamedFiles(argv: readonly string[] = process.argv): void {
    const due = this.#filesDue.splice(0);
    this.#openFiles([...due, ...filesOfCommandLine(argv, process.cwd(), app.isPackaged)]);
  }

  /** The start has failed at a step: says so and ends. */
  fail(step: string, error: unknown): void {
    dialog.showErrorBox('Tokenscope cannot start', `${messageOf(error)}\n\n(${step})`);
    this.#release();
    app.exit(1);
  }

  #application(): Profiler {
    if (this.#profiler === undefined) throw new Error('the application is not open yet');
    return this.#profiler;
  }

  #notify(message: string): void {
    if (this.#profiler === undefined) this.#notices.push(message);
    else this.#profiler.emit({ type: 'notice', kind: 'error', message });
  }

  #openFiles(paths: readonly string[]): void {
    if (this.#profiler === undefined) {
      this.#filesDue.push(...paths);
      return;
    }
    const profiler = this.#profiler;
    for (const path of paths) void this.#openFile(profiler, path);
  }

  async #openFile(profiler: Profiler, path: string): Promise<void> {
    const outcome = await profiler.openRecord({ by: 'path', path });
    if (!outcome.ok) this.#notify(`${outcome.error.path ?? path}: ${outcome.error.message}`);
    else if (outcome.value !== undefined) profiler.emit({ type: 'opened', id: outcome.value.id });
  }

  #reload(window: BrowserWindow, reason: string): void {
    if (reason === 'clean-exit' || window.isDestroyed()) return;
    this.#ipc?.forget(window.webContents);
    this.#reloads += 1;
    if (this.#reloads > MOST_RELOADS) {
      dialog.showErrorBox(
        'The window has failed',
        `Its process ended again and again (${reason}). Tokenscope ends now.`,
      );
      this.#quitting = 'yes';
      void this.#end();
      return;
    }
    this.#notify(`the window's process ended (${reason}) and was started again; nothing was lost`);
    window.reload();
  }

  async #quit(): Promise<void> {
    if (this.#quitting !== 'no') return;
    const state = this.#profiler?.getState();
    const running = state?.run === null || state === undefined ? undefined : state.run.plan_name;
    const unsaved = state?.tabs.filter((tab) => tab.unsaved).length ?? 0;
    this.#quitting = 'asking';
    const question = quitQuestion(running, unsaved, (await this.#profiler?.lostOnClose()) ?? 0);
    const window = this.#main?.window;
    if (question !== undefined && window !== undefined && !window.isDestroyed()) {
      if (!confirmQuit(window, question)) {
        this.#quitting = 'no';
        return;
      }
    }
    this.#quitting = 'yes';
    await this.#end();
  }

  async #end(): Promise<void> {
    if (this.#main !== undefined && !this.#main.window.isDestroyed()) this.#main.window.close();
    await this.#profiler?.close();
    await this.#main?.remembered();
    this.#release();
    this.#quitting = 'done';
    app.quit();
  }
}
