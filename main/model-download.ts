import { lstat, mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { version } from '../package.json';
import { TokenscopeError } from '../shared/errors.ts';
import type { DownloadedModel, DownloadProgress, DownloadRequest, ResolvedDownload } from '../shared/model-download.ts';
import type { ModelFile } from '../shared/model-folder.ts';
import { checkRequest } from './download/check-request.ts';
import { type Found, lookAt, refuseUnlessSame } from './download/destination.ts';
import { requireSpace } from './download/disk-space.ts';
import { lockFolder } from './download/folder-lock.ts';
import { HubClient, isCommit } from './download/hub-client.ts';
import { type HubAccess, hubAccess } from './download/hub-endpoint.ts';
import { chooseFiles, graphPath, type HubListing, licenseOf, type WantedFile } from './download/hub-listing.ts';
import { diskError, FileHash, hashInto } from './download/part-file.ts';
import { ProgressMeter } from './download/progress-meter.ts';
import { downloadFile, type FileDownload, mismatch } from './download/range-download.ts';
import { Retry, watched } from './download/retry.ts';
import { type DownloadServices, REAL_SERVICES } from './download/services.ts';
import { LOCK_FILE, MARKER_FILE, PART_SUFFIX, writeLock, writeMarker } from './model-lock.ts';

export interface DownloadOptions {
  /** Ends the download; what arrived is kept. The promise is then rejected with the signal's reason. */
  signal: AbortSignal;
  /** Where models come from; by default HF_ENDPOINT and HF_TOKEN say. */
  access?: HubAccess;
  onProgress?: (progress: DownloadProgress) => void;
  /** What was asked for has become a commit and a list of files. Nothing was transferred yet. */
  onResolved?: (resolved: ResolvedDownload) => void;
  services?: DownloadServices;
}

/**
 * Downloads one variant of a model into a folder, or goes on where an earlier attempt ended. The folder is a model only
 * once every file has its name and hash and the lock is written; until then loading refuses it.
 *
 * Throws a `download` error (the hub, the request, what the folder holds) or a `file` error (the disk). Every one is final:
 * what may pass was tried again before. Nothing of the token ever appears in one.
 */
export async function downloadModel(request: DownloadRequest, options: DownloadOptions): Promise<DownloadedModel> {
  const services = options.services ?? REAL_SERVICES;
  const access = options.access ?? hubAccess(process.env);
  checkRequest(request);
  const directory = resolve(request.destination);
  const created = await mkdir(directory, { recursive: true }).catch((error: unknown) => {
    throw diskError(directory, error);
  });
  const lock = await lockFolder(directory);
  try {
    const meter = new ProgressMeter(services.now, options.onProgress ?? (() => undefined));
    const hub = new HubClient(access, services);
    return await new Download(request, directory, hub, meter, services, options).run();
  } catch (error) {
    // Whatever the disk refuses on the way, in the words for people.
    throw isSystemError(error) ? diskError(error.path ?? directory, error) : error;
  } finally {
    await lock.release();
    await removeIfEmpty(join(directory, 'onnx'));
    if (created !== undefined) await removeIfEmpty(directory);
  }
}

class Download {
  readonly #request: DownloadRequest;
  readonly #directory: string;
  readonly #hub: HubClient;
  readonly #meter: ProgressMeter;
  readonly #services: DownloadServices;
  readonly #options: DownloadOptions;

  constructor(
    request: DownloadRequest,
    directory: string,
    hub: HubClient,
    meter: ProgressMeter,
    services: DownloadServices,
    options: DownloadOptions,
  ) {
    this.#request = request;
    this.#directory = directory;
    this.#hub = hub;
    this.#meter = meter;
    this.#services = services;
    this.#options = options;
  }

  async run(): Promise<DownloadedModel> {
    const found = await lookAt(this.#directory, this.#request);
    if (isCommit(this.#request.revision))
      refuseUnlessSame(this.#directory, found, this.#request, this.#request.revision);
    const there = await this.#alreadyThere(found, this.#request.revision);
    if (there !== undefined) return there;

    const listing = await this.#resolve(found);
    const { model, variant, revision: requested } = this.#request;
    const { sha: revision } = listing;
    refuseUnlessSame(this.#directory, found, this.#request, revision);
    if (!isCommit(requested)) {
      const there = await this.#alreadyThere(found, revision);
      if (there !== undefined) return there;
    }
    const files = chooseFiles(listing, model, variant, this.#services.pinOf);
    const resolved = {
      model,
      revision,
      variant,
      license: licenseOf(listing),
      bytes: files.reduce((sum, file) => sum + file.bytes, 0),
      files: files.length,
    };
    this.#options.onResolved?.(resolved);
    await this.#checkSpace(files);
    const { lock } = found;
    const isOther = lock?.repository !== model || lock.revision !== revision || lock.variant !== variant;
    if (lock !== undefined && isOther) await this.#probe(revision, files);

    // From here on the folder is an unfinished download, and a lock of before must not say otherwise.
    await writeMarker(this.#directory, { version: 1, repository: model, revision, requested, variant, files });
    await rm(join(this.#directory, LOCK_FILE), { force: true });
    let locked: ModelFile[];
    try {
      await this.#clear(found, files);
      locked = await this.#receive(revision, files);
    } catch (error) {
      await this.#forgetIfNothingArrived(files);
      throw error;
    }
    await writeLock(this.#directory, {
      version: 1,
      repository: model,
      revision,
      license: resolved.license,
      variant,
      graph: graphPath(variant),
      files: locked,
      tool: `tokenscope ${version}`,
    });
    await this.#tidy();
    return { ...resolved, directory: this.#directory, already: false };
  }

  /** A folder that holds what is asked for and is as its lock says needs no network. */
  async #alreadyThere({ lock }: Found, revision: string): Promise<DownloadedModel | undefined> {
    if (lock === undefined || this.#request.force || lock.revision !== revision) return undefined;
    this.#meter.start(lock.files.reduce((sum, file) => sum + file.bytes, 0));
    for (const file of lock.files) {
      if (!(await this.#wholeFile({ ...file, blobSha1: null }))) return undefined;
      this.#meter.finished(file.bytes);
    }
    await this.#tidy();
    return {
      model: lock.repository,
      revision: lock.revision,
      variant: lock.variant,
      license: lock.license,
      bytes: lock.files.reduce((sum, file) => sum + file.bytes, 0),
      files: lock.files.length,
      directory: this.#directory,
      already: true,
    };
  }

  /** A name is made a commit once; after that only the commit is asked for, also when a download goes on. */
  async #resolve(found: Found): Promise<HubListing> {
    this.#meter.resolving();
    const { model, revision, force } = this.#request;
    const { signal } = this.#options;
    const onWait = (words: string) => this.#meter.waiting(words);
    const known = found.marker !== undefined && !force ? found.marker.revision : revision;
    if (isCommit(known)) return this.#hub.listing(model, known, signal, onWait);
    const { sha } = await this.#hub.listing(model, known, signal, onWait);
    return this.#hub.listing(model, sha, signal, onWait);
  }

  async #checkSpace(files: readonly WantedFile[]): Promise<void> {
    let needed = 0;
    for (const { path, bytes } of files) {
      const target = join(this.#directory, path);
      const there = Math.max(await sizeOf(target), await sizeOf(`${target}${PART_SUFFIX}`));
      needed += Math.max(0, bytes - there);
    }
    requireSpace(this.#directory, needed, await this.#services.freeBytes(this.#directory));
  }

  /** Another model that is whole is given up only for one that the hub really hands out: the largest file is asked for, and not read. */
  async #probe(revision: string, files: readonly WantedFile[]): Promise<void> {
    const file = files.reduce((largest, file) => (file.bytes > largest.bytes ? file : largest));
    const retry = new Retry(this.#services, file.path, (words) => this.#meter.waiting(words));
    const { signal } = this.#options;
    for (;;) {
      try {
        return await watched(this.#services, signal, async (signal, alive) => {
          const { body } = await this.#hub.file(this.#request.model, revision, file, 0, signal);
          alive();
          body.destroy();
        });
      } catch (error) {
        await retry.after(error, signal);
      }
    }
  }

  /** Removes what belongs to another download: its files, and parts of files that have become others. */
  async #clear(found: Found, files: readonly WantedFile[]): Promise<void> {
    const onnx = await lstat(join(this.#directory, 'onnx')).catch(() => undefined);
    if (onnx !== undefined && !onnx.isDirectory()) {
      throw new TokenscopeError('file', 'is not a folder, and nothing is written through a link', {
        path: join(this.#directory, 'onnx'),
        remedy: 'name another folder',
      });
    }
    const before = new Map(found.files.map((file) => [file.path, file]));
    const now = new Map(files.map((file) => [file.path, file]));
    for (const [path, file] of now) {
      const earlier = before.get(path);
      const same = earlier !== undefined && isSameContent(earlier, file);
      if (!same) await rm(join(this.#directory, `${path}${PART_SUFFIX}`), { force: true });
    }
    for (const path of before.keys()) {
      if (now.has(path)) continue;
      await rm(join(this.#directory, path), { force: true });
      await rm(join(this.#directory, `${path}${PART_SUFFIX}`), { force: true });
    }
  }

  async #receive(revision: string, files: readonly WantedFile[]): Promise<ModelFile[]> {
    const download: FileDownload = {
      hub: this.#hub,
      model: this.#request.model,
      revision,
      directory: this.#directory,
      services: this.#services,
      meter: this.#meter,
      signal: this.#options.signal,
    };
    this.#meter.start(files.reduce((sum, file) => sum + file.bytes, 0));
    const received: ModelFile[] = [];
    for (const file of files) {
      this.#options.signal.throwIfAborted();
      let sha256 = await this.#wholeFile(file);
      if (sha256 === undefined) {
        // A wrong one need not be kept while the right one arrives.
        await rm(join(this.#directory, file.path), { force: true });
        sha256 = await downloadFile(download, file);
      }
      received.push({ path: file.path, bytes: file.bytes, sha256 });
      this.#meter.finished(file.bytes);
    }
    return received;
  }

  /** The sha256 of a file that lies in its place and is the right one. */
  async #wholeFile(file: WantedFile): Promise<string | undefined> {
    const path = join(this.#directory, file.path);
    const stats = await lstat(path).catch(() => undefined);
    if (stats === undefined) return undefined;
    if (stats.isFile() && stats.size === file.bytes) {
      this.#meter.verifying(file.path, file.bytes);
      const hash = new FileHash(file);
      await hashInto(hash, path, this.#options.signal, (bytes) => this.#meter.hashed(bytes));
      const digest = hash.digest();
      if (mismatch(file, digest) === undefined) return digest.sha256;
    }
    return undefined;
  }

  /** A refusal before the first byte leaves the folder as it was found. */
  async #forgetIfNothingArrived(files: readonly WantedFile[]): Promise<void> {
    for (const { path } of files) {
      const target = join(this.#directory, path);
      if ((await sizeOf(target)) > 0 || (await sizeOf(`${target}${PART_SUFFIX}`)) > 0) return;
    }
    for (const { path } of files) await rm(join(this.#directory, `${path}${PART_SUFFIX}`), { force: true });
    await this.#tidy();
  }

  /** Removes the marker, and what a write that was cut off by the process's end left beside it. */
  async #tidy(): Promise<void> {
    await rm(join(this.#directory, MARKER_FILE), { force: true });
    for (const name of await readdir(this.#directory)) {
      if (/^\.model\.(lock|download)\.json\.[0-9a-f]{12}\.tmp$/.test(name)) {
        await rm(join(this.#directory, name), { force: true });
      }
    }
  }
}

/** Whether what arrived of the one is the beginning of the other. */
function isSameContent(a: WantedFile, b: WantedFile): boolean {
  if (a.bytes !== b.bytes) return false;
  if (a.sha256 !== null && b.sha256 !== null) return a.sha256 === b.sha256;
  return a.blobSha1 !== null && a.blobSha1 === b.blobSha1;
}

async function sizeOf(path: string): Promise<number> {
  return (await lstat(path).catch(() => undefined))?.size ?? 0;
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && !(error instanceof TokenscopeError) && 'syscall' in error;
}

async function removeIfEmpty(directory: string): Promise<void> {
  await rmdir(directory).catch(() => undefined);
}
