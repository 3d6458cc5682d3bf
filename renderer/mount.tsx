import './usable-locale.ts';
import { createRoot } from 'react-dom/client';
import type { ProfilerHost } from '../shared/host.ts';
import { App } from './frame/App.tsx';
import { listenToKeys, timelineCommand } from './frame/keyboard.ts';
import { runCommand } from './frame/run-command.ts';
import { busy, idle } from './idle.ts';
import { WindowContext } from './state/context.ts';
import { createController } from './state/controller.ts';
import { createWindowStore } from './state/store.ts';
import './styles/index.css';

declare global {
  interface Window {
    /** Resolves when nothing is pending and everything is drawn. */
    tokenscopeIdle?: () => Promise<void>;
  }
}

const FONT_WAIT_MS = 400;

function fontsOrTimeout(): Promise<unknown> {
  const fonts = Promise.all(['400 13px Inter', '600 13px Inter'].map((font) => document.fonts.load(font)));
  const late = new Promise((resolve) => setTimeout(resolve, FONT_WAIT_MS));
  const done = busy();
  return Promise.race([fonts, late])
    .catch(() => undefined)
    .finally(done);
}

/** Shows the application of `host` in the page. */
export function mount(host: ProfilerHost, element: HTMLElement): void {
  const store = createWindowStore();
  const controller = createController(host, store);
  window.tokenscopeIdle = idle;
  listenToKeys(store, controller);
  void controller.start((id) => runCommand(id, store, controller, timelineCommand()));
  const root = createRoot(element);
  // Canvases and the token strip measure text: with the font at hand they need not do it twice.
  void fontsOrTimeout().then(() =>
    root.render(
      <WindowContext value={{ store, controller }}>
        <App />
      </WindowContext>,
    ),
  );
}
