import { createStore } from 'zustand/vanilla';
import { STANDARD_SUITE } from '../../shared/standard-suite.ts';
import type { WindowState } from './state.ts';

export function createWindowStore() {
  return createStore<WindowState>(() => ({
    app: null,
    lost: null,
    records: new Map(),
    active: null,
    view: 'timeline',
    marks: new Map(),
    pairs: new Map(),
    pairTrace: null,
    live: null,
    planName: STANDARD_SUITE.name ?? '',
    dialog: null,
    notices: [],
    exportChoice: { format: 'png', scale: '2', theme: null },
    spoken: '',
  }));
}

export type WindowStore = ReturnType<typeof createWindowStore>;
