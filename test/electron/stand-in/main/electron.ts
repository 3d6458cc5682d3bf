/** What the module `electron` has here: what our shell uses, and nothing else. */
export { app } from './app.ts';
export { BrowserWindow } from './browser-window.ts';
export { ClipboardItem, clipboard } from './clipboard.ts';
export { dialog } from './dialog.ts';
export { ipcMain } from './ipc-main.ts';
export { Menu } from './menu.ts';
export { nativeTheme } from './native-theme.ts';
export { protocol } from './schemes.ts';
export { screen } from './screen.ts';
export { session } from './session.ts';
export { shell } from './shell.ts';
export { utilityProcess } from './utility-process.ts';
