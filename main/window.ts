import { join } from 'node:path';
import { BrowserWindow, nativeTheme, screen } from 'electron';
import { PRELOAD_SCRIPT } from './app-paths.ts';
import { APP_URL } from './app-url.ts';
import { type Notify, StoredJson } from './stored-json.ts';
import { clampedBounds, MINIMUM_SIZE, type WindowPlace, windowPlaceSchema } from './window-place.ts';

/** The page's own background in each theme, so that a window that opens or grows does not flash. */
const BACKGROUND = { dark: '#14171c', light: '#ffffff' } as const;

export interface MainWindow {
  window: BrowserWindow;
  /** Waits until its place is on the disk. */
  remembered(): Promise<void>;
}

/** Opens the window where it was last, and shows it once there is something to see. */
export async function openMainWindow(dataDirectory: string, stamp: string, notify: Notify): Promise<MainWindow> {
  const nowhere: WindowPlace = { bounds: null, maximized: false };
  const stored = new StoredJson(join(dataDirectory, 'window.json'), windowPlaceSchema, nowhere, notify);
  const place = await stored.read(stamp);
  const areas = screen.getAllDisplays().map(({ workArea }) => workArea);
  const window = new BrowserWindow({
    ...clampedBounds(place.bounds, areas),
    minWidth: MINIMUM_SIZE.width,
    minHeight: MINIMUM_SIZE.height,
    title: 'Tokenscope',
    show: false,
    backgroundColor: backgroundColour(),
    webPreferences: {
      preload: PRELOAD_SCRIPT,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false,
    },
  });
  if (place.maximized) window.maximize();
  window.once('ready-to-show', () => window.show());
  window.on('close', () => {
    stored.write({ bounds: window.getNormalBounds(), maximized: window.isMaximized() });
  });
  const repaint = () => window.setBackgroundColor(backgroundColour());
  nativeTheme.on('updated', repaint);
  window.on('closed', () => nativeTheme.off('updated', repaint));
  void window.loadURL(APP_URL);
  return {
    window,
    async remembered() {
      await stored.flush();
    },
  };
}

function backgroundColour(): string {
  return nativeTheme.shouldUseDarkColors ? BACKGROUND.dark : BACKGROUND.light;
}

/** Brings a window to the front, from wherever it is. */
export function focusWindow(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}
