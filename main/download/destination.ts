import { readdir } from 'node:fs/promises';
import { TokenscopeError } from '../../shared/errors.ts';
import type { DownloadRequest } from '../../shared/model-download.ts';
import { type DownloadMarker, LOCK_FILE, MARKER_FILE, type ModelLock, readLock, readMarker } from '../model-lock.ts';
import { isFolderLock } from './folder-lock.ts';
import type { WantedFile } from './hub-listing.ts';

/** What a folder holds before a download into it. */
export interface Found {
  lock: ModelLock | undefined;
  marker: DownloadMarker | undefined;
  /** Files that an earlier download put here or was about to. */
  files: WantedFile[];
}

/**
 * Looks at the folder and refuses one that holds something else, unless `force` replaces it. Whether a branch is still the
 * commit that is here shows only when it is resolved: see refuseUnlessSame.
 */
export async function lookAt(directory: string, request: DownloadRequest): Promise<Found> {
  const names = (await readdir(directory)).filter((name) => !isOurs(name));
  // With force a lock that cannot be read is no obstacle.
  const lenient = <T>(reading: Promise<T>) => (request.force ? reading.catch(() => undefined) : reading);
  const lock = await lenient(readLock(directory));
  const marker = await lenient(readMarker(directory));
  const found: Found = {
    lock,
    marker,
    files: [...(lock?.files.map((file) => ({ ...file, blobSha1: null })) ?? []), ...(marker?.files ?? [])],
  };
  if (request.force) return found;

  const { model, variant, revision } = request;
  if (lock !== undefined) {
    if (lock.repository !== model || lock.variant !== variant) throw holds(directory, nameOf(lock));
    return { ...found, marker: undefined };
  }
  if (marker !== undefined) {
    const same = marker.repository === model && marker.variant === variant;
    if (!same || (marker.requested !== revision && marker.revision !== revision)) {
      throw holds(directory, `an unfinished download of ${nameOf(marker)}`);
    }
    return found;
  }
  if (names.length > 0) throw holds(directory, `${names.length} other files or folders`);
  return found;
}

/** Throws a `download` error where the folder holds another commit than the one that was asked for. */
export function refuseUnlessSame(
  directory: string,
  { lock }: Found,
  { force }: DownloadRequest,
  revision: string,
): void {
  if (!force && lock !== undefined && lock.revision !== revision) throw holds(directory, nameOf(lock));
}

function isOurs(name: string): boolean {
  return (
    isFolderLock(name) ||
    [LOCK_FILE, MARKER_FILE].includes(name) ||
    /^\.model\.(lock|download)\.json\..*\.tmp$/.test(name)
  );
}

function nameOf({ repository, revision, variant }: { repository: string; revision: string; variant: string }): string {
  return `${repository} at ${revision.slice(0, 12)}, ${variant}`;
}

function holds(directory: string, what: string): TokenscopeError {
  return new TokenscopeError('download', `the folder holds ${what}`, {
    path: directory,
    remedy: 'name another folder, or replace what is there with --force',
  });
}
