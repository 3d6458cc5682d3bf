import { join } from 'node:path';
import { TokenscopeError } from '../../shared/errors.ts';
import { PART_SUFFIX } from '../model-lock.ts';
import { networkError } from './http-get.ts';
import { BadRange, type HubClient } from './hub-client.ts';
import type { WantedFile } from './hub-listing.ts';
import { type Digest, PartFile } from './part-file.ts';
import type { ProgressMeter } from './progress-meter.ts';
import { Retry, Transient, watched } from './retry.ts';
import type { DownloadServices } from './services.ts';

/** A whole file with a wrong hash is fetched anew once: the fault may be in what an earlier run left. */
const MOST_WRONG_FILES = 2;

export interface FileDownload {
  hub: HubClient;
  model: string;
  revision: string;
  directory: string;
  services: DownloadServices;
  meter: ProgressMeter;
  signal: AbortSignal;
}

/**
 * Brings one file into its place: as `.part` beside it, from where an earlier attempt ended, and only with the right hash
 * under its own name. Returns its sha256. Throws a `download` or `file` error; what arrived stays, unless it was wrong.
 */
export async function downloadFile(download: FileDownload, listed: WantedFile): Promise<string> {
  const { services, meter, signal, directory } = download;
  const target = join(directory, listed.path);
  meter.verifying(listed.path, listed.bytes);
  const part = await PartFile.open(`${target}${PART_SUFFIX}`, listed, services, signal, (bytes) => meter.hashed(bytes));
  try {
    let file = listed;
    for (let wrong = 1; ; wrong++) {
      file = await receive(download, part, file);
      const digest = part.digest();
      const problem = mismatch(file, digest);
      if (problem === undefined) {
        await part.finish(target);
        return digest.sha256;
      }
      if (wrong === MOST_WRONG_FILES) {
        await part.remove();
        throw new TokenscopeError('download', problem, {
          path: file.path,
          remedy: 'the bytes were thrown away; run the download again, on another network if it stays so',
        });
      }
      await part.restart();
      meter.at(0);
    }
  } finally {
    await part.close();
  }
}

/** Attempts until every byte is there. Returns the file with the hash that the hub named on the way. */
async function receive(download: FileDownload, part: PartFile, listed: WantedFile): Promise<WantedFile> {
  const { services, meter, signal } = download;
  const retry = new Retry(services, listed.path, (words) => meter.waiting(words));
  let file = listed;
  let furthest = part.length;
  meter.downloading(file.path, file.bytes, part.length);
  while (part.length < file.bytes) {
    try {
      file = await watched(services, signal, (signal, alive) => attempt(download, part, file, signal, alive));
    } catch (error) {
      // Beyond the furthest byte only: a server that begins anew and breaks off each time makes no progress.
      if (part.length > furthest) retry.progressed();
      furthest = Math.max(furthest, part.length);
      if (error instanceof BadRange) {
        await part.restart();
        meter.at(0);
      }
      await retry.after(error, signal);
    }
  }
  return file;
}

async function attempt(
  { hub, model, revision, meter }: FileDownload,
  part: PartFile,
  file: WantedFile,
  signal: AbortSignal,
  alive: () => void,
): Promise<WantedFile> {
  const answer = await hub.file(model, revision, file, part.length, signal);
  alive();
  if (answer.start !== part.length) await part.restart();
  meter.at(part.length);
  try {
    for await (const block of answer.body) {
      if (!(block instanceof Uint8Array)) continue;
      await part.append(block);
      alive();
      meter.at(part.length);
      // A body that goes on is not read on.
      if (part.length === file.bytes) break;
    }
  } catch (error) {
    throw error instanceof TokenscopeError ? error : networkError(error, answer.url);
  } finally {
    answer.body.destroy();
  }
  if (part.length < file.bytes) {
    throw new Transient(`${answer.url.host} ended after ${part.length} of ${file.bytes} bytes`);
  }
  return { ...file, blobSha1: file.blobSha1 ?? answer.blobSha1 };
}

/** What is wrong with a whole file, or undefined. A file of which nothing is known is wrong as well. */
export function mismatch(file: WantedFile, digest: Digest): string | undefined {
  if (file.sha256 === null && file.blobSha1 === null) return 'the hub names no hash to check it by';
  if (file.sha256 !== null && file.sha256 !== digest.sha256) {
    return `its sha256 is ${digest.sha256}, expected is ${file.sha256}`;
  }
  if (file.blobSha1 !== null && file.blobSha1 !== digest.blobSha1) {
    return `its git hash is ${digest.blobSha1}, expected is ${file.blobSha1}`;
  }
  return undefined;
}
