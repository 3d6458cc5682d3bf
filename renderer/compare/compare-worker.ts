import { compared } from './compared.ts';
import type { ComparedPair } from './compared-pair.ts';

/** A thread of its own: each message is two to be compared, and is answered by one. */
addEventListener('message', ({ data }: MessageEvent<ComparedPair>) => {
  postMessage(compared(data));
});
