import { EventEmitter } from 'node:events';
import type { IpcMainInvokeEvent, WebContents, WebFrameMain, WebPreferences } from 'electron';
import { decode, encode } from '../codec.ts';
import { only } from '../only.ts';
import { type FromPage, ISOLATED_WORLD, SEND_BINDING, type ToPage } from '../page/names.ts';
import { standInApp } from './app.ts';
import type { Cdp, Protocol } from './cdp.ts';
import { type ContentsEvents, eventOf } from './events.ts';
import { answerInvoke } from './ipc-main.ts';
import { chromiumNow } from './lifecycle.ts';
import { answerRequest, OUR_REQUESTS, toAppUrl, toBrowserUrl } from './schemes.ts';
import { decidePermissions } from './session.ts';
import { worldScripts } from './world-scripts.ts';

type OpenHandler = Parameters<WebContents['setWindowOpenHandler']>[0];
type Key = Extract<FromPage, { type: 'key' }>;
let nextId = 1;

export interface PageOptions {
  preferences: WebPreferences;
  size: { width: number; height: number };
  onPaint: () => void;
  onGone: () => void;
  onKey: (key: Key) => void;
  /** A page may open a window and the app allows it. */
  onOpen: (url: string) => void;
}

/** One page of the browser, seen as Electron's main process sees it. */
export class PageContents extends EventEmitter {
  readonly id = nextId++;
  readonly mainFrame: WebFrameMain;
  readonly facade: WebContents;
  readonly #options: PageOptions;
  readonly #opened: Promise<Cdp>;
  #targetId = '';
  #frameId = '';
  #isolated: number | undefined;
  #url = '';
  #status = 200;
  #destroyed = false;
  #crashed = false;
  /** A navigation that the main process has asked for is nobody's to refuse. */
  #own = false;
  #openHandler: OpenHandler | undefined;

  constructor(options: PageOptions) {
    super();
    this.#options = options;
    const url = () => this.#url;
    this.mainFrame = only('WebFrameMain', {
      get url() {
        return url();
      },
    } satisfies Pick<WebFrameMain, 'url'>) as WebFrameMain;
    this.facade = only('webContents', this satisfies Pick<WebContents, MemberNames>) as unknown as WebContents;
    standInApp.tell('web-contents-created', eventOf({}), this.facade);
    this.#opened = this.#open();
    this.#opened.catch((error: unknown) => {
      if (!this.#destroyed) throw error;
    });
  }

  tell<K extends keyof ContentsEvents>(name: K, ...params: ContentsEvents[K]): void {
    this.emit(name, ...params);
  }

  getURL(): string {
    return this.#url;
  }

  isDestroyed(): boolean {
    return this.#destroyed;
  }

  setWindowOpenHandler(handler: OpenHandler): void {
    this.#openHandler = handler;
  }

  /** Without a page to hear it a message is lost, as it is in Electron. */
  send(channel: string, ...params: unknown[]): void {
    this.post({ type: 'send', channel, params });
  }

  async loadURL(url: string): Promise<void> {
    const page = await this.#opened;
    this.#own = true;
    const { errorText } = await page.send('Page.navigate', { url: toBrowserUrl(url) });
    if (errorText !== undefined) throw new Error(`${errorText} loading '${url}'`);
  }

  reload(): void {
    this.#own = true;
    void this.#opened.then((page) => page.send('Page.reload'));
  }

  async executeJavaScript(code: string): Promise<unknown> {
    const page = await this.#opened;
    const { result, exceptionDetails } = await page.send('Runtime.evaluate', {
      expression: code,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    });
    if (exceptionDetails !== undefined)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  forcefullyCrashRenderer(): void {
    // It answers, if at all, that it has crashed.
    void this.#opened.then((page) => page.send('Page.crash')).catch(() => undefined);
  }

  /** Drops files of the disk onto the page, as a person does. */
  async drop(paths: string[], x: number, y: number): Promise<void> {
    const page = await this.#opened;
    this.post({ type: 'files', paths });
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      await page.send('Input.dispatchDragEvent', {
        type,
        x,
        y,
        data: { items: [], files: paths, dragOperationsMask: 1 },
      });
    }
  }

  async resize(width: number, height: number): Promise<void> {
    const page = await this.#opened;
    await page.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 0, mobile: false });
  }

  async showTheme(scheme: 'dark' | 'light'): Promise<void> {
    const page = await this.#opened;
    await page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
  }

  async close(): Promise<void> {
    await this.#opened.catch(() => undefined);
    this.#destroyed = true;
    await chromiumNow()
      .browser.send('Target.closeTarget', { targetId: this.#targetId })
      .catch(() => undefined);
    this.tell('destroyed');
  }

  post(message: ToPage): void {
    const context = this.#isolated;
    const text = encode(message);
    if (context === undefined || this.#destroyed) return;
    void this.#opened
      .then((page) =>
        page.send('Runtime.evaluate', { contextId: context, expression: `standInHear(${JSON.stringify(text)})` }),
      )
      // The page has moved on.
      .catch(() => undefined);
  }

  async #open(): Promise<Cdp> {
    const chromium = chromiumNow();
    const { size, preferences } = this.#options;
    this.#targetId =
      (await chromium.takeFirstPage()) ??
      (await chromium.browser.send('Target.createTarget', { url: 'about:blank', ...size })).targetId;
    const page = await chromium.page(this.#targetId);
    this.#listen(page);
    const { frameTree } = await page.send('Page.getFrameTree');
    this.#frameId = frameTree.frame.id;
    const scripts = worldScripts(preferences);
    const [isolated, main] = scripts;
    await Promise.all([
      page.send('Page.enable'),
      page.send('Page.setLifecycleEventsEnabled', { enabled: true }),
      page.send('Runtime.enable'),
      this.#bind(page),
      page.send('Page.addScriptToEvaluateOnNewDocument', isolated),
      page.send('Page.addScriptToEvaluateOnNewDocument', main),
      page.send('Fetch.enable', {
        patterns: [{ urlPattern: OUR_REQUESTS }, { urlPattern: '*', resourceType: 'Document' }],
      }),
      page.send('Emulation.setDeviceMetricsOverride', { ...size, deviceScaleFactor: 0, mobile: false }),
    ]);
    return page;
  }

  async #bind(page: Cdp): Promise<void> {
    const isolated = this.#options.preferences.contextIsolation !== false;
    await page.send('Runtime.addBinding', {
      name: SEND_BINDING,
      ...(isolated ? { executionContextName: ISOLATED_WORLD } : {}),
    });
  }

  #listen(page: Cdp): void {
    page.on('Runtime.executionContextCreated', ({ context }) => {
      const { frameId, isDefault } = context.auxData as { frameId?: string; isDefault?: boolean };
      const wanted =
        this.#options.preferences.contextIsolation === false ? isDefault === true : context.name === ISOLATED_WORLD;
      if (!wanted || frameId !== this.#frameId) return;
      this.#isolated = context.id;
      if (!this.#crashed) return;
      // A browser does not give a process that took the place of a crashed one what the first one had.
      this.#crashed = false;
      void this.#bind(page).then(() =>
        page.send('Runtime.evaluate', { contextId: context.id, expression: 'standInFlush()' }),
      );
    });
    page.on('Runtime.executionContextDestroyed', ({ executionContextId }) => {
      if (executionContextId === this.#isolated) this.#isolated = undefined;
    });
    page.on('Runtime.executionContextsCleared', () => (this.#isolated = undefined));
    page.on('Runtime.bindingCalled', ({ payload, executionContextId }) => {
      if (executionContextId === this.#isolated) this.#hear(decode(payload) as FromPage);
    });
    page.on('Fetch.requestPaused', (paused) => void this.#answer(page, paused));
    page.on('Page.frameStartedNavigating', ({ frameId, url, navigationType }) => {
      const isMainFrame = frameId === this.#frameId;
      const isSameDocument = navigationType === 'sameDocument' || navigationType === 'historySameDocument';
      this.tell('did-start-navigation', eventOf({ ...this.#navigation(url, isMainFrame), isSameDocument }));
    });
    page.on('Page.frameNavigated', ({ frame }) => {
      // The empty page that every tab of a browser begins with is none in Electron.
      if (frame.parentId !== undefined || (this.#url === '' && frame.url === 'about:blank')) return;
      this.#url = toAppUrl(frame.url + (frame.urlFragment ?? ''));
      this.#own = false;
      void decidePermissions(this.facade, frame.url).catch(() => undefined);
      this.tell('did-navigate', eventOf({}), this.#url, this.#status, '');
    });
    page.on('Page.navigatedWithinDocument', ({ frameId, url }) => {
      if (frameId === this.#frameId) this.#url = toAppUrl(url);
    });
    page.on('Page.lifecycleEvent', ({ frameId, name }) => {
      if (frameId !== this.#frameId || this.#url === '' || this.#url === 'about:blank') return;
      if (name === 'firstPaint') this.#options.onPaint();
      if (name === 'load') this.tell('did-finish-load');
    });
    page.on('Page.windowOpen', ({ url }) => this.#openWindow(url));
    page.on('Inspector.targetCrashed', () => {
      this.#crashed = true;
      this.#isolated = undefined;
      const details = { reason: 'crashed', exitCode: 11 } as const;
      this.tell('render-process-gone', eventOf({}), details);
      standInApp.tell('render-process-gone', eventOf({}), this.facade, details);
    });
    page.on('Inspector.detached', () => {
      if (!this.#destroyed) this.#options.onGone();
    });
  }

  #hear(message: FromPage): void {
    if (message.type === 'key') {
      this.#options.onKey(message);
      return;
    }
    const { call, channel, params } = message;
    const event = { sender: this.facade, senderFrame: this.mainFrame } as IpcMainInvokeEvent;
    void answerInvoke(channel, event, params)
      .then((value) => this.post({ type: 'reply', call, ok: true, value }))
      .catch((error: Error) => this.post({ type: 'reply', call, ok: false, message: error.message }));
  }

  #navigation(url: string, isMainFrame: boolean) {
    return { url: toAppUrl(url), isMainFrame, frame: isMainFrame ? this.mainFrame : null, initiator: this.mainFrame };
  }

  /** Whether the app lets a frame go where it wants to. */
  #mayGo({ frameId, request, redirectedRequestId }: Protocol.Events['Fetch.requestPaused']): boolean {
    const isMainFrame = frameId === this.#frameId;
    const details = eventOf({ ...this.#navigation(request.url, isMainFrame), isSameDocument: false as const });
    if (redirectedRequestId !== undefined) {
      this.tell('will-redirect', details);
      return !details.defaultPrevented;
    }
    if (isMainFrame && this.#own) return true;
    this.tell('will-frame-navigate', details);
    if (isMainFrame && !details.defaultPrevented) this.tell('will-navigate', details);
    return !details.defaultPrevented;
  }

  async #answer(page: Cdp, paused: Protocol.Events['Fetch.requestPaused']): Promise<void> {
    const { requestId, request, resourceType, frameId } = paused;
    try {
      if (resourceType === 'Document' && !this.#mayGo(paused)) {
        await page.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
        return;
      }
      const { method, headers, postData } = request;
      const response = await answerRequest(request.url, { method, headers, body: postData });
      if (response === undefined) {
        await page.send('Fetch.continueRequest', { requestId });
        return;
      }
      if (resourceType === 'Document' && frameId === this.#frameId) this.#status = response.status;
      await page.send('Fetch.fulfillRequest', {
        requestId,
        responseCode: response.status,
        responseHeaders: [...response.headers].map(([name, value]) => ({ name, value })),
        body: Buffer.from(await response.arrayBuffer()).toString('base64'),
      });
    } catch (error) {
      // A handler that throws is a failed request in Electron. What has no page any more needs no answer.
      await page.send('Fetch.failRequest', { requestId, errorReason: 'Failed' }).catch(() => undefined);
      if (!this.#destroyed && error instanceof Error && !error.message.includes('Invalid InterceptionId')) {
        process.stderr.write(`stand-in: ${request.url}: ${error.message}\n`);
      }
    }
  }

  #openWindow(url: string): void {
    const details = {
      url: toAppUrl(url),
      frameName: '',
      features: '',
      disposition: 'foreground-tab',
      referrer: { url: '', policy: 'default' },
    } as const;
    const answer = this.#openHandler?.(details) ?? { action: 'allow' };
    if (answer.action === 'allow') this.#options.onOpen(url);
  }
}

type MemberNames =
  | 'id'
  | 'mainFrame'
  | 'getURL'
  | 'isDestroyed'
  | 'setWindowOpenHandler'
  | 'send'
  | 'loadURL'
  | 'reload'
  | 'executeJavaScript'
  | 'forcefullyCrashRenderer';
