import { createContext, useContext } from 'react';
import { useStore } from 'zustand';
import type { Controller } from './controller.ts';
import type { WindowState } from './state.ts';
import type { WindowStore } from './store.ts';

/** The window's state and what can be done in it, for every component. */
export const WindowContext = createContext<{ store: WindowStore; controller: Controller } | null>(null);

function useWindow(): { store: WindowStore; controller: Controller } {
  const value = useContext(WindowContext);
  if (value === null) throw new Error('a component is outside of the window');
  return value;
}

export function useWindowState<T>(select: (state: WindowState) => T): T {
  return useStore(useWindow().store, select);
}

export function useController(): Controller {
  return useWindow().controller;
}

export function useWindowStore(): WindowStore {
  return useWindow().store;
}
