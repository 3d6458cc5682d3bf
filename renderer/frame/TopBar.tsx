import { useEffect, useRef } from 'react';
import type { AppState } from '../../shared/host.ts';
import { STANDARD_SUITE } from '../../shared/standard-suite.ts';
import { Key } from '../home/Home.tsx';
import { useController, useWindowState } from '../state/context.ts';
import { activeRecord } from '../state/select.ts';
import { LIVE, VIEWS } from '../state/state.ts';
import { nextTheme, THEME_NAMES } from './theme.ts';

/** The open records as tabs, the views of the one on screen, and the way to a new run. */
export function TopBar({ app }: { app: AppState }) {
  const controller = useController();
  const active = useWindowState((state) => state.active);
  const view = useWindowState((state) => state.view);
  const live = useWindowState((state) => state.live !== null || (state.app?.run ?? null) !== null);
  const record = useWindowState((state) => activeRecord(state)?.status === 'ready');
  const planName = useWindowState((state) => state.planName);
  const tab = app.tabs.find(({ id }) => id === active);
  const { theme } = app.settings;
  const tabs = useRef<HTMLElement>(null);
  const count = app.tabs.length;
  // There may be more tabs than room for them; the one on screen is to be seen, also once its views take their room.
  useEffect(() => {
    tabs.current?.querySelector('.active')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [active, count, record]);
  return (
    <header className="top-bar">
      <button
        type="button"
        className="brand"
        aria-label="Tokenscope, start page"
        aria-pressed={active === null}
        onClick={() => void controller.activate(null)}
      >
        token<span>scope</span>
      </button>
      <nav ref={tabs} className="tabs" aria-label="Open records">
        {live && (
          <span className={active === LIVE ? 'tab active live-tab' : 'tab live-tab'}>
            <button
              type="button"
              aria-current={active === LIVE ? 'page' : undefined}
              onClick={() => void controller.activate(LIVE)}
            >
              <span className="dot running" aria-hidden="true" />
              Running
            </button>
          </span>
        )}
        {app.tabs.map(({ id, name, place, unsaved, valid }) => (
          <span key={id} className={active === id ? 'tab active' : 'tab'}>
            <button
              type="button"
              title={`${name} ${place}`.trim()}
              aria-current={active === id ? 'page' : undefined}
              onClick={() => void controller.activate(id)}
            >
              {!valid && (
                <span className="stall-ink">
                  ✕<span className="hidden"> refused: </span>
                </span>
              )}
              <bdi>{name}</bdi>
              {unsaved && (
                <span className="unsaved" title="not saved">
                  •<span className="hidden"> not saved</span>
                </span>
              )}
            </button>
            <button
              type="button"
              className="icon tab-close"
              aria-label={`Close ${name}`}
              onClick={() => void controller.close(id)}
            >
              ✕
            </button>
          </span>
        ))}
      </nav>
      {record && (
        <nav className="views" aria-label="Views">
          {VIEWS.map(({ id, label }) => (
            <button
              key={id}
              type="button"
              aria-current={view === id ? 'page' : undefined}
              onClick={() => controller.show(id)}
            >
              {label}
            </button>
          ))}
        </nav>
      )}
      {record && tab !== undefined && (
        <button
          type="button"
          className="second"
          title={tab.unsaved ? 'Not saved yet' : 'Save at another place'}
          onClick={() => void controller.save(tab.id, !tab.unsaved)}
        >
          {tab.unsaved ? 'Save' : 'Save as'}{' '}
          <span className="wide-only">
            <Key id={tab.unsaved ? 'save' : 'save-as'} />
          </span>
        </button>
      )}
      <button
        type="button"
        className="icon theme-button"
        title={`Theme: ${THEME_NAMES[theme]}`}
        aria-label={`Theme: ${THEME_NAMES[theme]}`}
        onClick={() => void controller.updateSettings({ theme: nextTheme(theme) })}
      >
        <span className={`theme-mark ${theme}`} aria-hidden="true" />
      </button>
      <div className="run-buttons">
        {app.run === null ? (
          <button type="button" className="primary" onClick={() => void controller.run()}>
            <span className="wide-only">{planName === STANDARD_SUITE.name ? 'Run suite' : 'Run plan'}</span>
            <span className="narrow-only">Run</span> <Key id="run" />
          </button>
        ) : (
          <button
            type="button"
            className="stop"
            disabled={app.run.phase === 'stopping'}
            onClick={() => void controller.stop()}
          >
            Stop
          </button>
        )}
        <button type="button" className="second" onClick={() => controller.openDialog({ kind: 'setup' })}>
          Set up <Key id="setup" />
        </button>
      </div>
    </header>
  );
}
