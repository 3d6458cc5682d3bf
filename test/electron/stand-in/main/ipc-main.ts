import type { IpcMain, IpcMainInvokeEvent } from 'electron';
import { only } from '../only.ts';

type Handler = Parameters<IpcMain['handle']>[1];
const handlers = new Map<string, Handler>();

export const ipcMain = only('ipcMain', {
  handle(channel, handler) {
    if (handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`);
    handlers.set(channel, handler);
  },
} satisfies Pick<IpcMain, 'handle'>);

/** What a page has asked for over `ipcRenderer.invoke`. */
export async function answerInvoke(channel: string, event: IpcMainInvokeEvent, params: unknown[]): Promise<unknown> {
  const handler = handlers.get(channel);
  try {
    if (handler === undefined) throw new Error(`No handler registered for '${channel}'`);
    return await (handler(event, ...(params as never[])) as unknown);
  } catch (error) {
    throw new Error(`Error invoking remote method '${channel}': ${String(error)}`, { cause: error });
  }
}
