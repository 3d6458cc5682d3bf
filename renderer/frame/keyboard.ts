import { useEffect } from 'react';
import { commandFor } from '../../shared/commands.ts';
import type { Controller } from '../state/controller.ts';
import type { WindowStore } from '../state/store.ts';
import { type TimelineCommand, runCommand } from './run-command.ts';

let timeline: TimelineCommand | undefined;

/** The timeline on screen takes its commands from here. */
export function useTimelineCommands(handler: TimelineCommand): void {
  useEffect(() => {
    timeline = handler;
    return () => {
      if (timeline === handler) timeline = undefined;
    };
  });
}

export function timelineCommand(): TimelineCommand | undefined {
  return timeline;
}

/** Listens for the keys of shared/commands.ts. */
export function listenToKeys(store: WindowStore, controller: Controller): () => void {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.isComposing) return;
    const command = commandFor(event);
    if (command === undefined) return;
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (isTyping(event) && command.id !== 'clear') return;
    if (plain && hasOwnKeys(event.target, event.code)) return;
    const done = runCommand(command.id, store, controller, timeline);
    // Our keys with Ctrl are never the browser's, which would save the page or leave it, also where they do nothing.
    if (done || !plain) event.preventDefault();
  };
  window.addEventListener('keydown', onKeyDown);
  return () => window.removeEventListener('keydown', onKeyDown);
}

/** Letters choose in a list; in a text they are written, also with Alt, which on a Mac gives the brackets of many layouts. */
function isTyping({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement) || ctrlKey || metaKey) return false;
  const text = 'input:not([type=radio], [type=checkbox], [type=button]), textarea';
  return target.isContentEditable || target.matches(altKey ? text : `${text}, select`);
}

/** Arrows belong to tabs, radio buttons, separators and scrolling panes that have the focus. */
function hasOwnKeys(target: EventTarget | null, code: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (!code.startsWith('Arrow') && code !== 'Home' && code !== 'End') return false;
  return target.closest('[role=tablist], [role=separator], [data-own-arrows], input[type=radio]') !== null;
}
