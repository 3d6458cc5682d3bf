import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './app-copy.ts';

/** An app of a few lines, to see what the stand-in makes of them. */
export interface SmallApp {
  /** Its main module; `page` and `preload` are there to be used. */
  main: string;
  preload?: string;
  page?: string;
}

/** What every main module here has before its own lines. */
const HEAD = `
import { join } from 'node:path';
import { app, BrowserWindow, ipcMain, protocol, utilityProcess } from 'electron';
protocol.registerSchemesAsPrivileged([{ scheme: 'small', privileges: { standard: true, secure: true } }]);
const preload = join(import.meta.dirname, 'preload.cjs');
const openWindow = async (webPreferences = { preload }) => {
  const window = new BrowserWindow({ webPreferences });
  await window.loadURL('small://app/');
  return window;
};
const servePage = () => protocol.handle('small', () => new Response(PAGE, { headers: { 'content-type': 'text/html' } }));
`;

export function writeSmallApp(folder: string, { main, preload = '', page = '<title>small</title>' }: SmallApp): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'small', type: 'module', main: 'main.js' }));
  writeFileSync(join(folder, 'main.js'), `const PAGE = ${JSON.stringify(page)};${HEAD}${main}`);
  writeFileSync(join(folder, 'preload.cjs'), preload);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}
