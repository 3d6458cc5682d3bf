import { access } from 'node:fs/promises';
import { TokenscopeError } from '../../shared/errors.ts';

/** Refuses a file that is there before any work is done for it. The write itself checks once more. */
export async function refuseExisting(output: string, force: boolean): Promise<void> {
  if (force) return;
  const exists = await access(output).then(
    () => true,
    () => false,
  );
  if (exists)
    throw new TokenscopeError('file', 'exists already', { path: output, remedy: 'use --force to replace it' });
}
