import { TokenscopeError } from '../../shared/errors.ts';
import type { DownloadRequest } from '../../shared/model-download.ts';
import { shown, unsafePath } from './safe-path.ts';

/** Throws an `argument` error for names that cannot be part of an address or of a file's name. */
export function checkRequest({ model, revision, variant }: DownloadRequest): void {
  if (
    !/^[A-Za-z0-9][\w.-]*(\/[A-Za-z0-9][\w.-]*)?$/.test(model) ||
    model.length > 200 ||
    unsafePath(model) !== undefined
  ) {
    throw new TokenscopeError('argument', `${shown(model)} is not the name of a model`, {
      remedy: 'it is written as on the hub, owner/name',
    });
  }
  if (!/^[\w][\w./-]*$/.test(revision) || revision.length > 200 || revision.includes('..')) {
    throw new TokenscopeError('argument', `${shown(revision)} is not a revision`, {
      remedy: 'a revision is a full commit hash, a branch or a tag',
    });
  }
  if (!/^[a-z0-9][a-z0-9_]{0,31}$/i.test(variant)) {
    throw new TokenscopeError('argument', `${shown(variant)} is not a variant`, {
      remedy: 'for example fp32, fp16, q4, q4f16, int8 or quantized',
    });
  }
}
