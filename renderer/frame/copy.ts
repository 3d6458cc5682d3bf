import { messageOf } from '../../shared/errors.ts';
import type { Controller } from '../state/controller.ts';

/** Puts text on the clipboard and says so. */
export async function copyText(controller: Controller, text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    controller.notify('info', `${what} copied.`);
  } catch (error) {
    controller.notify('error', `The clipboard cannot be used: ${messageOf(error)}`, 'allow this page to use it');
  }
}
