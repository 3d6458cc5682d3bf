import type { Shell } from 'electron';
import { only } from '../only.ts';

/** There is no other browser here that would open anything. */
export const shell = only('shell', { openExternal: () => Promise.resolve() } satisfies Pick<Shell, 'openExternal'>);
