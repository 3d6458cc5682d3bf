import { EventEmitter } from 'node:events';
import type { NativeTheme } from 'electron';
import { only } from '../only.ts';

/** The system of the stand-in is a light one. */
class StandInTheme extends EventEmitter {
  #source: NativeTheme['themeSource'] = 'system';

  get themeSource(): NativeTheme['themeSource'] {
    return this.#source;
  }

  set themeSource(source: NativeTheme['themeSource']) {
    if (!['system', 'light', 'dark'].includes(source)) throw new Error(`${source} is no theme source`);
    this.#source = source;
    this.emit('updated');
  }

  get shouldUseDarkColors(): boolean {
    return this.#source === 'dark';
  }
}

export const standInTheme = new StandInTheme();
export const nativeTheme = only(
  'nativeTheme',
  standInTheme satisfies Pick<NativeTheme, 'themeSource' | 'shouldUseDarkColors'>,
);
