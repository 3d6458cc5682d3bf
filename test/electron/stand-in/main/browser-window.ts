import { EventEmitter } from 'node:events';
import type {
  BrowserWindow as ElectronWindow,
  BrowserWindowConstructorOptions,
  Rectangle,
  WebContents,
} from 'electron';
import { only } from '../only.ts';
import { type ClosableWindow, standInApp } from './app.ts';
import { eventOf, type WindowEvents } from './events.ts';
import { lifecycle } from './lifecycle.ts';
import { pressKey } from './menu.ts';
import { nativeTheme } from './native-theme.ts';
import { workArea } from './screen.ts';
import { PageContents } from './web-contents.ts';

const all = new Set<StandInWindow>();

/** A window without a screen: its place is a number that it keeps, its inside is a page. */
export class StandInWindow extends EventEmitter implements ClosableWindow {
  readonly webContents: WebContents;
  readonly page: PageContents;
  readonly #facade: ElectronWindow;
  readonly #onTheme = () => this.#showTheme();
  #bounds: Rectangle;
  #state: 'normal' | 'maximized' | 'minimized' | 'full screen' = 'normal';
  #visible: boolean;
  #closing = false;
  #destroyed = false;
  #painted = false;

  constructor(options: BrowserWindowConstructorOptions = {}) {
    super();
    if (!lifecycle.ready) throw new Error('Cannot create BrowserWindow before app is ready');
    const { width = 800, height = 600, x, y, show = true, webPreferences = {} } = options;
    this.#bounds = { x: x ?? 0, y: y ?? 0, width, height };
    this.#visible = show;
    this.page = new PageContents({
      preferences: webPreferences,
      size: { width, height },
      onPaint: () => this.#firstPaint(),
      onGone: () => this.#gone(),
      onKey: (key) => pressKey(key, this.#facade),
      onOpen: (url) => {
        const child = new StandInWindow();
        void child.page.loadURL(url).catch(() => undefined);
      },
    });
    this.webContents = this.page.facade;
    this.#facade = only('BrowserWindow', this satisfies Pick<ElectronWindow, MemberNames>) as unknown as ElectronWindow;
    all.add(this);
    standInApp.addWindow(this);
    nativeTheme.on('updated', this.#onTheme);
    this.#showTheme();
    // biome-ignore lint/correctness/noConstructorReturn: the app gets the window that throws for what it does not have.
    return this.#facade as unknown as StandInWindow;
  }

  static getAllWindows(): ElectronWindow[] {
    return [...all].map((window) => window.#facade);
  }

  tell<K extends keyof WindowEvents>(name: K, ...params: WindowEvents[K]): void {
    this.emit(name, ...params);
  }

  loadURL(url: string): Promise<void> {
    return this.page.loadURL(url);
  }

  reload(): void {
    this.page.reload();
  }

  show(): void {
    this.#visible = true;
    this.tell('show');
  }

  focus(): void {
    this.tell('focus');
  }

  isVisible(): boolean {
    return this.#visible;
  }

  isDestroyed(): boolean {
    return this.#destroyed;
  }

  maximize(): void {
    this.#state = 'maximized';
    this.#visible = true;
    void this.page.resize(workArea.width, workArea.height);
  }

  unmaximize(): void {
    this.restore();
  }

  minimize(): void {
    this.#state = 'minimized';
  }

  restore(): void {
    this.#state = 'normal';
    void this.page.resize(this.#bounds.width, this.#bounds.height);
  }

  isMaximized(): boolean {
    return this.#state === 'maximized';
  }

  isMinimized(): boolean {
    return this.#state === 'minimized';
  }

  isFullScreen(): boolean {
    return this.#state === 'full screen';
  }

  setFullScreen(flag: boolean): void {
    this.#state = flag ? 'full screen' : 'normal';
  }

  getNormalBounds(): Rectangle {
    return { ...this.#bounds };
  }

  getBounds(): Rectangle {
    return this.#state === 'maximized' ? { ...workArea } : { ...this.#bounds };
  }

  setBounds(bounds: Partial<Rectangle>): void {
    this.#bounds = { ...this.#bounds, ...bounds };
    void this.page.resize(this.#bounds.width, this.#bounds.height);
  }

  setBackgroundColor(colour: string): void {
    if (!/^#[0-9a-f]{6}$/i.test(colour)) throw new Error(`${colour} is no colour that the stand-in knows`);
  }

  close(): void {
    this.askToClose();
  }

  /** First the app is asked, then the page goes, and only when it is gone is the window closed. */
  askToClose(): boolean {
    if (this.#destroyed) return true;
    const event = eventOf({});
    this.tell('close', event);
    if (event.defaultPrevented) {
      standInApp.closeCancelled();
      return false;
    }
    if (this.#closing) return true;
    this.#closing = true;
    void this.page.close().then(() => this.#gone());
    return true;
  }

  #gone(): void {
    if (this.#destroyed) return;
    this.#destroyed = true;
    nativeTheme.off('updated', this.#onTheme);
    all.delete(this);
    this.tell('closed');
    standInApp.removeWindow(this);
  }

  #firstPaint(): void {
    if (this.#painted) return;
    this.#painted = true;
    this.tell('ready-to-show');
  }

  #showTheme(): void {
    void this.page.showTheme(nativeTheme.shouldUseDarkColors ? 'dark' : 'light').catch(() => undefined);
  }
}

type MemberNames =
  | 'webContents'
  | 'loadURL'
  | 'reload'
  | 'show'
  | 'focus'
  | 'isVisible'
  | 'isDestroyed'
  | 'maximize'
  | 'unmaximize'
  | 'minimize'
  | 'restore'
  | 'isMaximized'
  | 'isMinimized'
  | 'isFullScreen'
  | 'setFullScreen'
  | 'getNormalBounds'
  | 'getBounds'
  | 'setBounds'
  | 'setBackgroundColor'
  | 'close';

export const BrowserWindow = only(
  'BrowserWindow',
  StandInWindow satisfies Pick<typeof ElectronWindow, 'getAllWindows'> & (new (...options: never[]) => unknown),
);
