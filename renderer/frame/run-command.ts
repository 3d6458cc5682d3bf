import { type CommandId, isTimelineCommand, type TimelineCommandId } from '../../shared/commands.ts';
import type { Controller } from '../state/controller.ts';
import { shownPair, swapped } from '../compare/pair.ts';
import { activeMarks, activeRecord } from '../state/select.ts';
import { LIVE } from '../state/state.ts';
import type { WindowStore } from '../state/store.ts';
import { nextTheme } from './theme.ts';

/** Commands of the timeline that is on screen, if there is one. */
export type TimelineCommand = (id: TimelineCommandId) => boolean;

/**
 * Carries a command out, wherever it comes from: a key, the native menu. False: it does not apply now. Behind an open
 * dialog none does: what it would change can be neither seen nor reached, and the dialog is about what is there.
 */
export function runCommand(
  id: CommandId,
  store: WindowStore,
  controller: Controller,
  timeline: TimelineCommand | undefined,
): boolean {
  const state = store.getState();
  if (state.dialog !== null) return false;
  if (isTimelineCommand(id)) return timeline?.(id) ?? false;
  const record = state.active !== null && state.active !== LIVE ? state.active : null;
  switch (id) {
    case 'open':
      void controller.open({ by: 'dialog' });
      return true;
    case 'save':
    case 'save-as':
      if (record !== null) void controller.save(record, id === 'save-as');
      return true;
    case 'export':
      if (activeRecord(state)?.status === 'ready') controller.openDialog({ kind: 'export' });
      else controller.notify('info', 'Open a record that was not refused to export it.');
      return true;
    case 'close-tab':
      if (record !== null) void controller.close(record);
      return true;
    case 'home':
      void controller.activate(null);
      return true;
    case 'run':
      void controller.run();
      return true;
    case 'setup':
      controller.openDialog({ kind: 'setup' });
      return true;
    case 'clear':
      return clear(store, controller);
    case 'view-timeline':
      controller.show('timeline');
      return true;
    case 'view-record':
      controller.show('record');
      return true;
    case 'view-compare':
      controller.show('compare');
      return true;
    case 'view-report':
      controller.show('report');
      return true;
    case 'swap':
      return swap(store, controller);
    case 'theme':
      if (state.app !== null) void controller.updateSettings({ theme: nextTheme(state.app.settings.theme) });
      return true;
    case 'keys':
      controller.openDialog({ kind: 'keys' });
      return true;
    case 'tab-1':
    case 'tab-2':
    case 'tab-3':
    case 'tab-4':
    case 'tab-5':
    case 'tab-6':
    case 'tab-7':
    case 'tab-8':
    case 'tab-9':
      return openTab(Number(id.slice(4)), store, controller);
  }
}

/** Tabs count from 1; a run in progress comes after the records. */
function openTab(number: number, store: WindowStore, controller: Controller): boolean {
  const { app, live } = store.getState();
  const ids = [...(app?.tabs ?? []).map((tab) => tab.id), ...(live === null ? [] : [LIVE])];
  const id = ids[number - 1];
  if (id !== undefined) void controller.activate(id);
  return true;
}

function swap(store: WindowStore, controller: Controller): boolean {
  const state = store.getState();
  const pair = state.view === 'compare' ? shownPair(state) : null;
  if (pair === null || state.active === null) return false;
  controller.choosePair(state.active, swapped(pair));
  return true;
}

/** One thing at a time: the range, then the token, then the run. */
function clear(store: WindowStore, controller: Controller): boolean {
  const state = store.getState();
  const marks = activeMarks(state);
  if (marks.range !== null) controller.setMarks(() => ({ range: null }));
  else if (marks.token !== null) controller.setMarks(() => ({ token: null }));
  else if (state.active === LIVE) void controller.stop();
  else if (state.notices.length > 0) for (const { id } of state.notices) controller.dismiss(id);
  else return false;
  return true;
}
