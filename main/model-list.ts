import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { reasonOf, TokenscopeError } from '../shared/errors.ts';
import type { ModelDisk, ModelEntry, ModelSource } from '../shared/host.ts';
import type { ModelFolder } from '../shared/model-folder.ts';
import type { ModelInfo } from '../shared/record.ts';
import { displayFolder } from './display-path.ts';
import { fileVersion, isSameVersion } from './file-version.ts';
import { hashCacheIn } from './hash-cache.ts';
import { findModel, inspectModel, type InspectedModel } from './model-folder.ts';
import { readMarker } from './model-lock.ts';
import { type Notify, StoredJson } from './stored-json.ts';

const modelsSchema = z.object({
  /** Folders that a person added. */
  folders: z.array(z.object({ id: z.string(), path: z.string() })),
  /** Names of our own folders that were taken off the list. */
  hidden: z.array(z.string()),
});

export const DEMO_MODEL_ID = 'demo';

interface Model {
  id: string;
  name: string;
  kind: ModelEntry['kind'];
  path: string;
  disk: ModelDisk | null;
  source: ModelSource | null;
  info: ModelInfo | null;
  problem: string | null;
  /** The folder as it was hashed. */
  found: ModelFolder | undefined;
}

export interface ModelListOptions {
  dataDirectory: string;
  demoModel: string;
  newId: () => string;
  notify: Notify;
}

/** The models that can be run: the demo model, folders that a person added, and those in our own `models` folder. */
export class ModelList {
  readonly #options: ModelListOptions;
  readonly #own: string;
  readonly #stored: StoredJson<z.infer<typeof modelsSchema>>;
  #models: Model[] = [];
  #hidden = new Set<string>();

  constructor(options: ModelListOptions) {
    this.#options = options;
    this.#own = join(options.dataDirectory, 'models');
    this.#stored = new StoredJson(
      join(options.dataDirectory, 'models.json'),
      modelsSchema,
      { folders: [], hidden: [] },
      options.notify,
    );
  }

  async load(stamp: string): Promise<void> {
    const { folders, hidden } = await this.#stored.read(stamp);
    this.#hidden = new Set(hidden);
    this.#models = [model(DEMO_MODEL_ID, 'demo', this.#options.demoModel)];
    const names: string[] = await readdir(this.#own).catch(() => []);
    for (const name of names.toSorted()) {
      // What a synthesis that was cut off left behind.
      if (/^\..*\.partial$/.test(name)) await rm(join(this.#own, name), { recursive: true, force: true });
      else if (!name.startsWith('.') && !this.#hidden.has(name)) this.#models.push(this.#ownModel(name));
    }
    for (const { id, path } of folders) this.#models.push(model(id, 'folder', path));
    await Promise.all(this.#models.map((model) => this.#inspect(model)));
  }

  entries(): ModelEntry[] {
    return this.#models.map(({ id, name, kind, path, disk, source, info, problem }) => ({
      id,
      name,
      kind,
      place: kind === 'demo' ? 'ships with Tokenscope' : displayFolder(path),
      disk,
      source,
      info,
      problem,
    }));
  }

  /** Throws an `argument` error for a model that is not on the list. */
  nameOf(id: string): string {
    return this.#model(id).name;
  }

  /**
   * The folder, checked and hashed. A model whose files are as they were is not hashed again: a large one takes seconds.
   * Throws a `model` error, which the list then shows as well; a signal ends it with an error that says nothing of the model.
   */
  async folderOf(id: string, signal?: AbortSignal): Promise<ModelFolder> {
    const model = this.#model(id);
    try {
      const { paths } = await inspectModel(model.path);
      if (model.found === undefined || !(await isAsFound(model.found, paths))) {
        model.found = await findModel(model.path, {
          onHash: () => signal?.throwIfAborted(),
          hashes: hashCacheIn(this.#options.dataDirectory),
        });
      }
      model.problem = null;
      return model.found;
    } catch (error) {
      if (signal?.aborted !== true) this.setProblem(id, error);
      throw error;
    }
  }

  loaded(id: string, info: ModelInfo): void {
    const model = this.#models.find((model) => model.id === id);
    if (model === undefined) return;
    model.info = info;
    model.problem = null;
  }

  setProblem(id: string, error: unknown): void {
    const model = this.#models.find((model) => model.id === id);
    if (model !== undefined) model.problem = reasonOf(error);
  }

  /** Adds a folder, or finds it. Throws a `model` error if it cannot be used. */
  async add(path: string): Promise<string> {
    const full = resolve(path);
    const known = this.#models.find((model) => model.path === full);
    if (known !== undefined) {
      await this.#inspect(known);
      return known.id;
    }
    await inspectModel(full);
    const added = model(this.#options.newId(), 'folder', full);
    await this.#inspect(added);
    this.#models.push(added);
    this.#store();
    return added.id;
  }

  /** Puts a folder of our own `models` folder on the list. */
  async addOwn(name: string): Promise<string> {
    this.#hidden.delete(name);
    const known = this.#models.find(({ path }) => path === join(this.#own, name));
    const own = known ?? this.#ownModel(name);
    if (known === undefined) this.#models.push(own);
    await this.#inspect(own);
    this.#store();
    return own.id;
  }

  /** Shows what a download that did not come to its end has left, so that it can go on. */
  async noticeOwn(name: string): Promise<void> {
    if ((await stat(this.ownPath(name)).catch(() => undefined))?.isDirectory() === true) await this.addOwn(name);
  }

  /** What verifying has found: a model with a fault is refused, one without is as good as its folder. */
  async verified(id: string, fault: TokenscopeError | undefined): Promise<void> {
    const model = this.#model(id);
    model.found = undefined;
    if (fault === undefined) await this.#inspect(model);
    else model.problem = fault.path === undefined ? fault.message : `${basename(fault.path)} ${fault.message}`;
  }

  pathOf(id: string): string {
    return this.#model(id).path;
  }

  ownPath(name: string): string {
    return join(this.#own, name);
  }

  remove(id: string): void {
    const model = this.#model(id);
    if (model.kind === 'demo') throw new TokenscopeError('argument', 'the demo model stays on the list');
    if (model.path === join(this.#own, basename(model.path))) this.#hidden.add(basename(model.path));
    this.#models = this.#models.filter((other) => other !== model);
    this.#store();
  }

  async flush(): Promise<void> {
    await this.#stored.flush();
  }

  #model(id: string): Model {
    const model = this.#models.find((model) => model.id === id);
    if (model === undefined) throw new TokenscopeError('argument', 'this model is not on the list');
    return model;
  }

  #ownModel(name: string): Model {
    return model(`own-${name}`, 'synthetic', join(this.#own, name));
  }

  async #inspect(model: Model): Promise<void> {
    try {
      const inspected = await inspectModel(model.path);
      const { folder, lock } = inspected;
      model.disk = await diskOf(inspected);
      model.source = lock === undefined ? null : { ...sourceOf(lock), license: lock.license, complete: true };
      if (model.kind !== 'demo') model.kind = folder.weights === 'synthetic' ? 'synthetic' : 'folder';
      this.#nameBySource(model);
      model.problem = null;
    } catch (error) {
      model.problem = reasonOf(error);
      model.disk = null;
      const marker = await readMarker(model.path).catch(() => undefined);
      model.source =
        marker === undefined
          ? null
          : { ...sourceOf({ ...marker, revision: marker.requested }), license: null, complete: false };
      this.#nameBySource(model);
    }
  }

  /** The folder of a download is named for the machine; people know the model by its own name. */
  #nameBySource(model: Model): void {
    if (model.source !== null) {
      model.name = `${model.source.repository.split('/').at(-1) ?? ''}, ${model.source.variant}`;
    }
  }

  #store(): void {
    const folders = this.#models.filter(({ path, kind }) => kind !== 'demo' && path !== this.ownPath(basename(path)));
    this.#stored.write({ folders: folders.map(({ id, path }) => ({ id, path })), hidden: [...this.#hidden] });
  }
}

function model(id: string, kind: Model['kind'], path: string): Model {
  const name = kind === 'demo' ? 'demo model' : basename(path);
  return { id, name, kind, path, disk: null, source: null, info: null, problem: null, found: undefined };
}

function sourceOf({ repository, revision, variant }: Pick<ModelSource, 'repository' | 'revision' | 'variant'>) {
  return { repository, revision, variant };
}

async function diskOf({ folder, paths }: InspectedModel): Promise<ModelDisk> {
  const weights = paths.filter((path) => path.startsWith('onnx/'));
  const sizes = await Promise.all(weights.map(async (path) => (await stat(join(folder.directory, path))).size));
  return {
    graph: folder.graph,
    weight_bytes: sizes.reduce((sum, size) => sum + size, 0),
    context_tokens: folder.config.max_position_embeddings ?? null,
  };
}

/** Whether the folder has the same files, none of them written since. */
async function isAsFound({ directory, files }: ModelFolder, paths: readonly string[]): Promise<boolean> {
  if (files.length !== paths.length || files.some(({ path }, index) => path !== paths[index])) return false;
  const now = await Promise.all(files.map(({ path }) => fileVersion(join(directory, path))));
  return files.every(({ version }, index) => isSameVersion(version, now[index]));
}
