/** As Electron calls the world of a preload script. */
export const ISOLATED_WORLD = 'Electron Isolated Context';
/** The way out of a page's isolated world: a function that exists there and nowhere else. */
export const SEND_BINDING = 'standInSend';

/** From the isolated world to the main process. */
export type FromPage =
  | { type: 'invoke'; call: number; channel: string; params: unknown[] }
  /** A key that the page had no use for: a menu may have one. */
  | { type: 'key'; code: string; ctrl: boolean; shift: boolean; alt: boolean; meta: boolean };

/** From the main process to the isolated world. */
export type ToPage =
  | { type: 'send'; channel: string; params: unknown[] }
  | { type: 'reply'; call: number; ok: true; value: unknown }
  | { type: 'reply'; call: number; ok: false; message: string }
  /** The files of a drop that is about to happen, in their order. */
  | { type: 'files'; paths: string[] };
