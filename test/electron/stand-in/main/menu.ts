import type {
  BaseWindow,
  BrowserWindow,
  KeyboardEvent as ElectronKey,
  Menu as ElectronMenu,
  MenuItem as ElectronItem,
  MenuItemConstructorOptions,
} from 'electron';
import { only } from '../only.ts';
import type { FromPage } from '../page/names.ts';
import { app } from './app.ts';

type Key = Extract<FromPage, { type: 'key' }>;
type Role = NonNullable<MenuItemConstructorOptions['role']>;

/** What the roles that we use do; the editing ones are the browser's own affair. */
const ROLES: Partial<Record<Role, { accelerator?: string; run?: (window: BrowserWindow | undefined) => void }>> = {
  quit: { accelerator: 'CommandOrControl+Q', run: () => app.quit() },
  minimize: { accelerator: 'CommandOrControl+M', run: (window) => window?.minimize() },
  togglefullscreen: { accelerator: 'F11', run: (window) => window?.setFullScreen(!window.isFullScreen()) },
  resetZoom: { accelerator: 'CommandOrControl+0' },
  zoomIn: { accelerator: 'CommandOrControl+Plus' },
  zoomOut: { accelerator: 'CommandOrControl+-' },
  editMenu: {},
  help: {},
  appMenu: {},
  zoom: {},
  front: {},
};

class StandInItem {
  readonly id: string;
  readonly label: string;
  readonly type: ElectronItem['type'];
  readonly role: Role | undefined;
  readonly accelerator: string | undefined;
  readonly submenu: ElectronMenu | undefined;
  readonly #options: MenuItemConstructorOptions;

  constructor(options: MenuItemConstructorOptions) {
    const { role, submenu } = options;
    if (role !== undefined && ROLES[role] === undefined) throw new Error(`the stand-in has no menu role ${role}`);
    this.#options = options;
    this.id = options.id ?? '';
    this.role = role;
    this.label = options.label ?? role ?? '';
    this.type = options.type ?? (submenu === undefined ? 'normal' : 'submenu');
    this.accelerator = options.accelerator ?? (role === undefined ? undefined : ROLES[role]?.accelerator);
    this.submenu = Array.isArray(submenu) ? Menu.buildFromTemplate(submenu) : submenu;
    if (this.accelerator !== undefined) keysOf(this.accelerator);
  }

  click(event: ElectronKey = {}, window?: BaseWindow): void {
    const { role, click } = this.#options;
    if (role === undefined) {
      click?.(this as unknown as ElectronItem, window, event);
      return;
    }
    const run = ROLES[role]?.run;
    if (run === undefined) throw new Error(`the stand-in has nothing for the menu role ${role}`);
    run(window as BrowserWindow | undefined);
  }
}

class StandInMenu {
  readonly items: ElectronItem[];

  constructor(items: ElectronItem[]) {
    this.items = items;
  }

  getMenuItemById(id: string): ElectronItem | null {
    return itemsOf(this.items).find((item) => item.id === id) ?? null;
  }
}

let applicationMenu: ElectronMenu | null = null;

export const Menu = only('Menu', {
  buildFromTemplate(template) {
    const items = template.map((options) =>
      only(
        'MenuItem',
        new StandInItem(options as MenuItemConstructorOptions) satisfies Pick<ElectronItem, ItemMembers>,
      ),
    );
    const menu = new StandInMenu(items as unknown as ElectronItem[]) satisfies Pick<
      ElectronMenu,
      'items' | 'getMenuItemById'
    >;
    return only('Menu', menu) as unknown as ElectronMenu;
  },
  setApplicationMenu(menu) {
    applicationMenu = menu;
  },
  getApplicationMenu: () => applicationMenu,
} satisfies Pick<typeof ElectronMenu, 'buildFromTemplate' | 'setApplicationMenu' | 'getApplicationMenu'>);

type ItemMembers = 'id' | 'label' | 'type' | 'click';

function itemsOf(items: readonly ElectronItem[]): ElectronItem[] {
  return items.flatMap((item) => [item, ...itemsOf(item.submenu?.items ?? [])]);
}

/** A key that the page had no use for: the menu item that has it is chosen. */
export function pressKey(key: Key, window: BrowserWindow): void {
  const pressed = [key.ctrl && 'Ctrl', key.meta && 'Meta', key.alt && 'Alt', key.shift && 'Shift', key.code]
    .filter((part) => part !== false)
    .join('+');
  for (const item of itemsOf(applicationMenu?.items ?? [])) {
    const { accelerator } = item;
    if (accelerator !== undefined && accelerator !== null && keysOf(accelerator) === pressed) {
      item.click({}, window, window.webContents);
      return;
    }
  }
}

const CODES: Readonly<Record<string, string>> = { Plus: 'Equal', '-': 'Minus' };

/** `CmdOrCtrl+Shift+S` as the page reports it: `Ctrl+Shift+KeyS`. */
function keysOf(accelerator: string): string {
  const parts = accelerator.split('+');
  const name = parts.pop() ?? '';
  const known = ['CmdOrCtrl', 'CommandOrControl', 'Alt', 'Shift'];
  const strange = parts.find((part) => !known.includes(part));
  if (strange !== undefined) throw new Error(`the stand-in does not know ${strange} in ${accelerator}`);
  const code = /^[A-Z]$/.test(name) ? `Key${name}` : /^\d$/.test(name) ? `Digit${name}` : (CODES[name] ?? name);
  const control = process.platform === 'darwin' ? 'Meta' : 'Ctrl';
  const modifiers = [
    (parts.includes('CmdOrCtrl') || parts.includes('CommandOrControl')) && control,
    parts.includes('Alt') && 'Alt',
    parts.includes('Shift') && 'Shift',
  ];
  return [...modifiers.filter((part) => part !== false), code].join('+');
}
