import { type IpcMainInvokeEvent, ipcMain, type WebContents, type WebFrameMain } from 'electron';
import { z } from 'zod';
import { channelOf, EVENT_CHANNEL, type FromMain, HOST_METHODS, SUBSCRIBE_CHANNEL } from '../shared/channels.ts';
import type { Outcome } from '../shared/host.ts';
import { isAppUrl } from './app-url.ts';
import { answerMethod, ELECTRON_METHODS } from './host-methods.ts';
import type { Profiler } from './profiler-contract.ts';

export interface Ipc {
  /** Stops telling a page of events: it is being reloaded, or gone. */
  forget(contents: WebContents): void;
}

/** Answers the window over IPC. Every channel goes through one place that looks at who asks and what. */
export function answerWindow(profiler: Profiler, isOurWindow: (contents: WebContents) => boolean): Ipc {
  const following = new Map<number, () => void>();
  const forget = (contents: WebContents) => {
    following.get(contents.id)?.();
    following.delete(contents.id);
  };
  const tell = (contents: WebContents, message: FromMain) => {
    if (!contents.isDestroyed()) contents.send(EVENT_CHANNEL, message);
  };

  const handle = (channel: string, answer: (event: IpcMainInvokeEvent, params: unknown) => Promise<unknown>) => {
    ipcMain.handle(channel, (event, ...params: unknown[]) => {
      if (!isTrustedSender(event.senderFrame, event.sender) || !isOurWindow(event.sender) || params.length > 1) {
        return REFUSED;
      }
      return answer(event, params[0]);
    });
  };

  for (const method of HOST_METHODS) {
    handle(channelOf(method), async ({ sender }, params) => {
      if (method !== 'attachRun') return answerMethod(ELECTRON_METHODS, profiler, method, params);
      // The draft of a run and the events after it must arrive in that order, so it goes over the channel of the events.
      const request = z.int().safeParse(params);
      if (!request.success) return REFUSED;
      tell(sender, { type: 'attached', request: request.data, draft: profiler.attachRun() });
      return undefined;
    });
  }
  handle(SUBSCRIBE_CHANNEL, ({ sender }) => {
    forget(sender);
    following.set(
      sender.id,
      profiler.subscribe((event) => tell(sender, { type: 'event', event })),
    );
    return Promise.resolve();
  });
  return { forget };
}

/** Our own page in its main frame. A frame that is gone already has no name and no rights. */
export function isTrustedSender(frame: WebFrameMain | null, sender: WebContents): boolean {
  return frame !== null && frame === sender.mainFrame && isAppUrl(frame.url);
}

const REFUSED: Outcome<never> = {
  ok: false,
  error: { code: 'message', message: 'this request is not allowed', path: null, remedy: null },
};
