/**
 * Everything that can be done by a key, in one table: it feeds the native menu, the keyboard and the sheet of keys.
 * Keys are physical (`KeyboardEvent.code`), so that W, A, S and D lie together on every layout.
 */

export interface Shortcut {
  code: string;
  /** Ctrl, or Command on a Mac. */
  ctrl?: boolean;
  shift?: boolean;
  alt?: boolean;
}

/** Where a command applies: everywhere, or only while a timeline is on screen. */
export type CommandScope = 'window' | 'timeline';
export type CommandGroup = 'Records' | 'Run' | 'View' | 'Timeline' | 'Selection' | 'Help';

interface CommandEntry {
  id: string;
  label: string;
  group: CommandGroup;
  scope: CommandScope;
  /** The first is the one that is shown; browsers keep some of the others for themselves. */
  keys: readonly Shortcut[];
}

const digits = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

export const COMMANDS = [
  {
    id: 'open',
    label: 'Open a record',
    group: 'Records',
    scope: 'window',
    keys: [{ code: 'KeyO', ctrl: true }],
  },
  { id: 'save', label: 'Save', group: 'Records', scope: 'window', keys: [{ code: 'KeyS', ctrl: true }] },
  {
    id: 'save-as',
    label: 'Save as',
    group: 'Records',
    scope: 'window',
    keys: [{ code: 'KeyS', ctrl: true, shift: true }],
  },
  { id: 'export', label: 'Export', group: 'Records', scope: 'window', keys: [{ code: 'KeyE', ctrl: true }] },
  {
    id: 'close-tab',
    label: 'Close the tab',
    group: 'Records',
    scope: 'window',
    keys: [
      { code: 'KeyW', ctrl: true },
      { code: 'KeyW', alt: true },
    ],
  },
  { id: 'home', label: 'Start page', group: 'Records', scope: 'window', keys: [{ code: 'KeyH', alt: true }] },
  ...digits.map(
    (digit) =>
      ({
        id: `tab-${digit}`,
        label: `Tab ${digit}`,
        group: 'Records',
        scope: 'window',
        keys: [
          { code: `Digit${digit}`, ctrl: true },
          { code: `Digit${digit}`, alt: true },
        ],
      }) as const,
  ),
  { id: 'run', label: 'Run the plan', group: 'Run', scope: 'window', keys: [{ code: 'KeyR' }] },
  { id: 'setup', label: 'Set up a run', group: 'Run', scope: 'window', keys: [{ code: 'KeyE' }] },
  {
    id: 'clear',
    label: 'Clear the selection, then stop the run',
    group: 'Run',
    scope: 'window',
    keys: [{ code: 'Escape' }],
  },
  { id: 'view-timeline', label: 'Timeline', group: 'View', scope: 'window', keys: [{ code: 'KeyT' }] },
  { id: 'view-record', label: 'Record', group: 'View', scope: 'window', keys: [{ code: 'KeyI' }] },
  { id: 'view-compare', label: 'Compare', group: 'View', scope: 'window', keys: [{ code: 'KeyV' }] },
  { id: 'view-report', label: 'Report', group: 'View', scope: 'window', keys: [{ code: 'KeyP' }] },
  { id: 'swap', label: 'Swap A and B', group: 'View', scope: 'window', keys: [{ code: 'KeyX' }] },
  {
    id: 'theme',
    label: 'Light, dark or as the system',
    group: 'View',
    scope: 'window',
    keys: [{ code: 'KeyL', shift: true }],
  },
  { id: 'zoom-in', label: 'Zoom in', group: 'Timeline', scope: 'timeline', keys: [{ code: 'KeyW' }] },
  { id: 'zoom-out', label: 'Zoom out', group: 'Timeline', scope: 'timeline', keys: [{ code: 'KeyS' }] },
  { id: 'pan-left', label: 'Pan left', group: 'Timeline', scope: 'timeline', keys: [{ code: 'KeyA' }] },
  { id: 'pan-right', label: 'Pan right', group: 'Timeline', scope: 'timeline', keys: [{ code: 'KeyD' }] },
  { id: 'fit', label: 'Fit the selection', group: 'Timeline', scope: 'timeline', keys: [{ code: 'KeyF' }] },
  { id: 'reset', label: 'Show everything', group: 'Timeline', scope: 'timeline', keys: [{ code: 'Digit0' }] },
  {
    id: 'toggle-group',
    label: 'Collapse or expand the run',
    group: 'Timeline',
    scope: 'timeline',
    keys: [{ code: 'KeyC' }],
  },
  { id: 'sample-up', label: 'Previous sample', group: 'Selection', scope: 'timeline', keys: [{ code: 'ArrowUp' }] },
  { id: 'sample-down', label: 'Next sample', group: 'Selection', scope: 'timeline', keys: [{ code: 'ArrowDown' }] },
  { id: 'token-left', label: 'Previous token', group: 'Selection', scope: 'timeline', keys: [{ code: 'ArrowLeft' }] },
  { id: 'token-right', label: 'Next token', group: 'Selection', scope: 'timeline', keys: [{ code: 'ArrowRight' }] },
  { id: 'token-first', label: 'First token', group: 'Selection', scope: 'timeline', keys: [{ code: 'Home' }] },
  { id: 'token-last', label: 'Last token', group: 'Selection', scope: 'timeline', keys: [{ code: 'End' }] },
  { id: 'stall-previous', label: 'Previous stall', group: 'Selection', scope: 'timeline', keys: [{ code: 'Comma' }] },
  { id: 'stall-next', label: 'Next stall', group: 'Selection', scope: 'timeline', keys: [{ code: 'Period' }] },
  { id: 'keys', label: 'This sheet', group: 'Help', scope: 'window', keys: [{ code: 'Slash', shift: true }] },
] as const satisfies readonly CommandEntry[];

export type CommandId = (typeof COMMANDS)[number]['id'];
/** Commands of a timeline; the others apply in every window. */
export type TimelineCommandId = Extract<(typeof COMMANDS)[number], { scope: 'timeline' }>['id'];
export interface Command extends CommandEntry {
  id: CommandId;
}

const commands: readonly Command[] = COMMANDS;

export function commandNamed(id: CommandId): Command {
  const found = commands.find((command) => command.id === id);
  if (found === undefined) throw new RangeError(`no command is named ${id}`);
  return found;
}

export function isTimelineCommand(id: CommandId): id is TimelineCommandId {
  return commandNamed(id).scope === 'timeline';
}

/** What of a KeyboardEvent decides. */
export interface KeyPress {
  code: string;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
}

export function commandFor(press: KeyPress): Command | undefined {
  return commands.find((command) => command.keys.some((key) => matches(key, press)));
}

function matches(key: Shortcut, press: KeyPress): boolean {
  return (
    key.code === press.code &&
    (key.ctrl ?? false) === (press.ctrlKey || press.metaKey) &&
    (key.shift ?? false) === press.shiftKey &&
    (key.alt ?? false) === press.altKey
  );
}

const SHOWN: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
  Comma: ',',
  Period: '.',
};

/** As people read it: `Ctrl Shift S`, `⌘⇧S` on a Mac, `?`. */
export function keyLabel(key: Shortcut, mac = false): string {
  if (key.code === 'Slash' && key.shift === true) return '?';
  const name = SHOWN[key.code] ?? key.code.replace(/^(Key|Digit)/, '');
  if (mac) {
    return `${key.ctrl === true ? '⌘' : ''}${key.alt === true ? '⌥' : ''}${key.shift === true ? '⇧' : ''}${name}`;
  }
  const modifiers = [key.ctrl === true && 'Ctrl', key.alt === true && 'Alt', key.shift === true && 'Shift'];
  return [...modifiers.filter((part) => part !== false), name].join(' ');
}

/**
 * For a native menu: `CmdOrCtrl+Shift+S`. Keys without Ctrl or Alt have none, since a menu would take them away from a
 * text field: the window handles those.
 */
export function accelerator(key: Shortcut): string | null {
  if (key.ctrl !== true && key.alt !== true) return null;
  const name = key.code.replace(/^(Key|Digit)/, '');
  const modifiers = [key.ctrl === true && 'CmdOrCtrl', key.alt === true && 'Alt', key.shift === true && 'Shift'];
  return [...modifiers.filter((part) => part !== false), name].join('+');
}
