import type {
  App,
  BrowserWindow,
  Event,
  NativeTheme,
  RenderProcessGoneDetails,
  UtilityProcess,
  WebContents,
  WebContentsDidStartNavigationEventParams,
  WebContentsWillFrameNavigateEventParams,
  WebContentsWillNavigateEventParams,
  WebContentsWillRedirectEventParams,
} from 'electron';

/** What comes with each event that the stand-in emits. */
export interface AppEvents {
  ready: [];
  'before-quit': [event: Event];
  'will-quit': [event: Event];
  quit: [event: Event, exitCode: number];
  'window-all-closed': [];
  'second-instance': [event: Event, argv: string[], workingDirectory: string, additionalData: unknown];
  'web-contents-created': [event: Event, contents: WebContents];
  'render-process-gone': [event: Event, contents: WebContents, details: RenderProcessGoneDetails];
}
export interface ContentsEvents {
  'did-start-navigation': [details: Event<WebContentsDidStartNavigationEventParams>];
  'will-navigate': [details: Event<WebContentsWillNavigateEventParams>];
  'will-frame-navigate': [details: Event<WebContentsWillFrameNavigateEventParams>];
  'will-redirect': [details: Event<WebContentsWillRedirectEventParams>];
  'did-navigate': [event: Event, url: string, httpResponseCode: number, httpStatusText: string];
  'did-finish-load': [];
  'render-process-gone': [event: Event, details: RenderProcessGoneDetails];
  destroyed: [];
}
export interface WindowEvents {
  close: [event: Event];
  closed: [];
  'ready-to-show': [];
  show: [];
  focus: [];
}

type Listeners<E extends Record<keyof E, unknown[]>> = { [K in keyof E]: (...params: E[K]) => void };

/** Never called: it compiles only as long as Electron has these events, and with these parameters. */
export function agreesWithElectron(
  app: App,
  contents: WebContents,
  window: BrowserWindow,
  theme: NativeTheme,
  child: UtilityProcess,
  on: { app: Listeners<AppEvents>; contents: Listeners<ContentsEvents>; window: Listeners<WindowEvents> },
): void {
  app.on('ready', on.app.ready);
  app.on('before-quit', on.app['before-quit']);
  app.on('will-quit', on.app['will-quit']);
  app.on('quit', on.app.quit);
  app.on('window-all-closed', on.app['window-all-closed']);
  app.on('second-instance', on.app['second-instance']);
  app.on('web-contents-created', on.app['web-contents-created']);
  app.on('render-process-gone', on.app['render-process-gone']);
  contents.on('did-start-navigation', on.contents['did-start-navigation']);
  contents.on('will-navigate', on.contents['will-navigate']);
  contents.on('will-frame-navigate', on.contents['will-frame-navigate']);
  contents.on('will-redirect', on.contents['will-redirect']);
  contents.on('did-navigate', on.contents['did-navigate']);
  contents.on('did-finish-load', on.contents['did-finish-load']);
  contents.on('render-process-gone', on.contents['render-process-gone']);
  contents.on('destroyed', on.contents.destroyed);
  window.on('close', on.window.close);
  window.on('closed', on.window.closed);
  window.on('ready-to-show', on.window['ready-to-show']);
  window.on('show', on.window.show);
  window.on('focus', on.window.focus);
  theme.on('updated', () => undefined);
  child.on('spawn', () => undefined);
  child.on('exit', (_code: number) => undefined);
  child.on('message', (_message: unknown) => undefined);
}

/** An event that can be prevented, with what else it carries. */
export function eventOf<T extends object>(more: T): Event<T> & { defaultPrevented: boolean } {
  const event = {
    ...more,
    defaultPrevented: false,
    preventDefault() {
      event.defaultPrevented = true;
    },
  };
  return event;
}
