import { Menu, type MenuItemConstructorOptions } from 'electron';
import { accelerator, type CommandId, commandNamed } from '../shared/commands.ts';

/** The native menu. Its items are commands of the window; the ones without a command are the system's own. */
export function installMenu(run: (id: CommandId) => void, platform = process.platform): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(run, platform)));
}

export function menuTemplate(run: (id: CommandId) => void, platform: NodeJS.Platform): MenuItemConstructorOptions[] {
  const item = (id: CommandId): MenuItemConstructorOptions => {
    const { label, keys } = commandNamed(id);
    const [first] = keys;
    const keysOfMenu = first === undefined ? null : accelerator(first);
    return { id, label, click: () => run(id), ...(keysOfMenu === null ? {} : { accelerator: keysOfMenu }) };
  };
  const line: MenuItemConstructorOptions = { type: 'separator' };
  const mac = platform === 'darwin';
  return [
    ...(mac ? [{ role: 'appMenu' } as const] : []),
    {
      label: 'File',
      submenu: [
        item('open'),
        item('save'),
        item('save-as'),
        item('export'),
        line,
        item('close-tab'),
        ...(mac ? [] : [line, { role: 'quit' } as const]),
      ],
    },
    { role: 'editMenu' },
    { label: 'Run', submenu: [item('run'), item('setup')] },
    {
      label: 'View',
      submenu: [
        item('home'),
        item('view-timeline'),
        item('view-record'),
        item('view-compare'),
        item('view-report'),
        line,
        item('theme'),
        line,
        { role: 'togglefullscreen' },
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
      ],
    },
    // Not the system's own window menu: its "close" takes the keys of "close the tab".
    {
      label: 'Window',
      submenu: [{ role: 'minimize' }, ...(mac ? ([{ role: 'zoom' }, { role: 'front' }] as const) : [])],
    },
    { role: 'help', submenu: [item('keys')] },
  ];
}
