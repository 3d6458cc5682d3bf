import { useEffect, useState } from 'react';
import type { Settings } from '../../shared/host.ts';
import { useWindowState } from '../state/context.ts';

const ORDER: readonly Settings['theme'][] = ['system', 'light', 'dark'];
export const THEME_NAMES = { system: 'As the system', light: 'Light', dark: 'Dark' } as const;

export function nextTheme(theme: Settings['theme']): Settings['theme'] {
  return ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length] ?? 'system';
}

/** The theme on screen; sets it on the document, and follows the system where that is the choice. */
export function useTheme(): 'light' | 'dark' {
  const chosen = useWindowState((state) => state.app?.settings.theme ?? 'system');
  const [systemDark, setSystemDark] = useState(() => matchMedia('(prefers-color-scheme: dark)').matches);
  useEffect(() => {
    const query = matchMedia('(prefers-color-scheme: dark)');
    const follow = () => setSystemDark(query.matches);
    query.addEventListener('change', follow);
    return () => query.removeEventListener('change', follow);
  }, []);
  const theme = chosen === 'system' ? (systemDark ? 'dark' : 'light') : chosen;
  // Before the children draw: their canvases read the colours from the document.
  if (document.documentElement.dataset['theme'] !== theme) document.documentElement.dataset['theme'] = theme;
  return theme;
}
