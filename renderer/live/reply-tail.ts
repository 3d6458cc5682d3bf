import { tokenMarks } from '../trace/token-marks.ts';

const TOKENS = 60;
const CHARACTERS = 240;

/** The end of a reply that is being written: the whole would be laid out anew with every token. */
export function replyTail(texts: readonly string[] | null, text: string | null): string {
  const all = texts === null ? (text ?? '') : texts.slice(-TOKENS).join('');
  const cut = all.length > CHARACTERS || (texts !== null && texts.length > TOKENS);
  return `${cut ? '…' : ''}${tokenMarks(all.slice(-CHARACTERS), CHARACTERS)}`;
}
