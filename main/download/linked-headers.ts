import { TokenscopeError } from '../../shared/errors.ts';
import type { HttpAnswer } from './http-get.ts';
import type { WantedFile } from './hub-listing.ts';

/**
 * What the hub's own answers say of a file, held against the listing. The first answer alone is telling: behind the
 * redirect a file server has an ETag of its own, also of 64 digits, that is no sha256.
 */
export function checkLinked(answer: HttpAnswer, file: WantedFile, revision: string, model: string): string | null {
  const differs = (what: string, said: string, expected: string) =>
    new TokenscopeError(
      'download',
      `${file.path} changed on the hub: its ${what} is ${said}, expected is ${expected}`,
      {
        path: model,
        remedy: 'run the download again',
      },
    );
  const commit = header(answer, 'x-repo-commit');
  if (commit !== undefined && commit !== revision) throw differs('commit', commit, revision);
  const size = header(answer, 'x-linked-size');
  if (size !== undefined && Number(size) !== file.bytes) throw differs('size', size, String(file.bytes));

  const linked = etagOf(header(answer, 'x-linked-etag'));
  const tag = linked ?? etagOf(header(answer, 'etag'));
  if (linked !== undefined && isSha256(linked) && file.sha256 !== null && linked !== file.sha256) {
    throw differs('sha256', linked, file.sha256);
  }
  // Of a file in LFS the tag of 40 digits would be that of its pointer.
  const inLfs = file.sha256 !== null && file.blobSha1 === null;
  if (tag === undefined || !isSha1(tag) || inLfs) return null;
  if (file.blobSha1 !== null && tag !== file.blobSha1) throw differs('git hash', tag, file.blobSha1);
  return tag;
}

function header(answer: HttpAnswer, name: string): string | undefined {
  const value = answer.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function etagOf(text: string | undefined): string | undefined {
  return text?.replace(/^W\//, '').replaceAll('"', '');
}

const isSha256 = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);
const isSha1 = (text: string): boolean => /^[0-9a-f]{40}$/.test(text);
