import { describe, expect, test } from 'vitest';
import { accelerator, COMMANDS, type Command, commandFor, commandNamed, keyLabel } from '../../../shared/commands.ts';

const commands: readonly Command[] = COMMANDS;
const press = (code: string, held: Partial<Record<'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey', boolean>> = {}) => ({
  code,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...held,
});

describe('commands', () => {
  test('no id and no key stands for two', () => {
    const ids = commands.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const keys = commands.flatMap((command) => command.keys.map((key) => JSON.stringify(key)));
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('are found by exactly their keys', () => {
    expect(commandFor(press('KeyS'))?.id).toBe('zoom-out');
    expect(commandFor(press('KeyS', { ctrlKey: true }))?.id).toBe('save');
    expect(commandFor(press('KeyS', { metaKey: true }))?.id).toBe('save');
    expect(commandFor(press('KeyS', { ctrlKey: true, shiftKey: true }))?.id).toBe('save-as');
    expect(commandFor(press('Slash', { shiftKey: true }))?.id).toBe('keys');
    expect(commandFor(press('Digit3', { altKey: true }))?.id).toBe('tab-3');
    expect(commandFor(press('KeyS', { altKey: true }))).toBeUndefined();
    expect(commandFor(press('KeyZ'))).toBeUndefined();
  });

  test('are written for people and for menus; a menu takes no plain key away', () => {
    const [saveAs] = commandNamed('save-as').keys;
    expect(keyLabel(saveAs!)).toBe('Ctrl Shift S');
    expect(keyLabel(saveAs!, true)).toBe('⌘⇧S');
    expect(accelerator(saveAs!)).toBe('CmdOrCtrl+Shift+S');
    expect(accelerator(commandNamed('run').keys[0]!)).toBeNull();
    expect(keyLabel(commandNamed('keys').keys[0]!)).toBe('?');
    expect(keyLabel(commandNamed('sample-up').keys[0]!)).toBe('↑');
  });
});
