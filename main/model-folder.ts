import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { messageOf, TokenscopeError } from '../shared/errors.ts';
import {
  generationConfigSchema,
  type ModelConfig,
  modelConfigSchema,
  type FileVersion,
  type FoundFile,
  type ModelFile,
  type ModelFolder,
} from '../shared/model-folder.ts';
import { fileVersion } from './file-version.ts';
import { type HashCache, hashFile } from './hash-cache.ts';
import {
  checkSizes,
  hashProblem,
  lockFault,
  type ModelLock,
  PART_SUFFIX,
  readLock,
  refuseUnfinished,
} from './model-lock.ts';

/** Graphs to take when none is named, most exact first. */
const PREFERRED_GRAPHS = ['model.onnx', 'model_fp16.onnx', 'model_q4.onnx', 'model_q4f16.onnx', 'model_int8.onnx'];

/** Settings are small; anything larger is not one. */
const MOST_CONFIG_BYTES = 1 << 20;

/** What synthesized folders write into their config.json. */
const ownConfigSchema = z.looseObject({ tokenscope: z.looseObject({ weights: z.literal('synthetic') }).optional() });

export interface FindModelOptions {
  /** File name inside `onnx/`; by default the most exact variant that is there. */
  graph?: string;
  /** Called while the files are hashed, with bytes done and in all. */
  onHash?: (doneBytes: number, totalBytes: number) => void;
  /** Hashes of files that have not changed since. Without it every file is read. */
  hashes?: HashCache;
}

/** A model folder that was found complete, and the files inside it that the model depends on. */
export interface InspectedModel {
  folder: Omit<ModelFolder, 'files'>;
  paths: string[];
  /** What was downloaded, for a folder that a download wrote. */
  lock: ModelLock | undefined;
}

/**
 * Reads a model folder in the Hugging Face ONNX layout: config.json, tokenizer.json, tokenizer_config.json,
 * onnx/*.onnx with or without external data, and generation_config.json if there is one. Every file the model depends on
 * is hashed. A downloaded model must be, file by file, what its lock says. Throws a `model` error that names the file and what
 * is wrong with it.
 */
export async function findModel(folder: string, options: FindModelOptions = {}): Promise<ModelFolder> {
  const { folder: found, paths, lock } = await inspectModel(folder, options.graph);
  const files = await hashFiles(found.directory, paths, options);
  if (lock !== undefined) checkHashes(found.directory, lock, files);
  return { ...found, files };
}

/**
 * As findModel, without the hashes: whether a folder can be used, known in a moment whatever its size. The files of a
 * downloaded model are held against its lock by their sizes.
 */
export async function inspectModel(folder: string, wantedGraph?: string): Promise<InspectedModel> {
  const directory = resolve(folder);
  const kind = await stat(directory).catch(() => undefined);
  if (kind === undefined) throw refuse(directory, 'there is no such folder', 'check the path');
  if (!kind.isDirectory())
    throw refuse(directory, 'is a file, a model is a folder', 'name the folder that holds config.json');

  const lock = await readLock(directory);
  if (lock === undefined) await refuseUnfinished(directory);
  else {
    const fault = await checkSizes(directory, lock);
    if (fault !== undefined) throw fault;
  }
  const config = await readConfig(directory, 'config.json', modelConfigSchema);
  if (config === undefined) throw missing(directory, 'config.json');
  const generation = (await readConfig(directory, 'generation_config.json', generationConfigSchema)) ?? {};
  for (const file of ['tokenizer.json', 'tokenizer_config.json']) {
    if (!(await isFile(join(directory, file)))) throw missing(directory, file);
  }
  const graph = await chooseGraph(directory, wantedGraph, lock);
  const eosTokenIds = endTokens(generation.eos_token_id ?? config.eos_token_id);

  const found: Omit<ModelFolder, 'files'> = {
    directory,
    id: lock?.repository ?? ownName(config) ?? basename(directory),
    revision: lock?.revision ?? null,
    license: lock?.license ?? null,
    weights: ownConfigSchema.safeParse(config).data?.tokenscope === undefined ? 'trained' : 'synthetic',
    graph: `onnx/${graph}`,
    config,
    generation,
    eosTokenIds,
    padTokenId: generation.pad_token_id ?? eosTokenIds[0] ?? 0,
  };
  return { folder: found, paths: await filesOf(directory, graph, lock), lock };
}

function ownName(config: ModelConfig): string | undefined {
  const name = config['_name_or_path'];
  return typeof name === 'string' && name !== '' ? name : undefined;
}

async function readConfig<T>(directory: string, name: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const path = join(directory, name);
  const kind = await stat(path).catch(() => undefined);
  if (kind === undefined) return undefined;
  if (!kind.isFile() || kind.size > MOST_CONFIG_BYTES)
    throw refuse(path, `is not a settings file (${kind.size} bytes)`);
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    throw refuse(path, `is not JSON: ${messageOf(cause)}`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw refuse(path, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unknown form'}`);
}

async function chooseGraph(
  directory: string,
  wanted: string | undefined,
  lock: ModelLock | undefined,
): Promise<string> {
  const folder = join(directory, 'onnx');
  if (lock !== undefined) {
    const locked = basename(lock.graph);
    if (wanted === undefined || wanted === locked) return locked;
    throw refuse(folder, `${wanted} is not of the model that was downloaded here`, `it is ${locked}`);
  }
  const entries = await readdir(folder).catch(() => []);
  const graphs = entries.filter((name) => name.endsWith('.onnx')).toSorted();
  if (wanted !== undefined) {
    if (graphs.includes(wanted)) return wanted;
    throw refuse(
      folder,
      `has no ${wanted}`,
      graphs.length > 0 ? `it has ${graphs.join(', ')}` : 'it has no .onnx file',
    );
  }
  const chosen = PREFERRED_GRAPHS.find((name) => graphs.includes(name)) ?? graphs[0];
  if (chosen === undefined) throw missing(directory, 'onnx/model.onnx');
  return chosen;
}

/** The graph, its data files (named after it: model.onnx_data, model.onnx_data_1, model.onnx.data), and the settings. */
async function filesOf(directory: string, graph: string, lock: ModelLock | undefined): Promise<string[]> {
  const beside = lock?.files.map(({ path }) => path.replace(/^onnx\//, '')) ?? (await readdir(join(directory, 'onnx')));
  const data = beside.filter((name) => name !== graph && name.startsWith(graph) && !name.endsWith(PART_SUFFIX));
  const names = [
    'config.json',
    'generation_config.json',
    'tokenizer.json',
    'tokenizer_config.json',
    'chat_template.jinja',
  ];
  const settings: string[] = [];
  for (const name of names) if (await isFile(join(directory, name))) settings.push(name);
  return [...settings, `onnx/${graph}`, ...data.toSorted().map((name) => `onnx/${name}`)];
}

async function hashFiles(
  directory: string,
  paths: readonly string[],
  { onHash, hashes }: FindModelOptions,
): Promise<FoundFile[]> {
  // Before the hashes: whatever is written from here on shows.
  const versions = await Promise.all(paths.map((path) => versionOf(directory, path)));
  const total = versions.reduce((sum, { size }) => sum + Number(size), 0);
  let done = 0;
  const tell = (bytes: number) => {
    done += bytes;
    onHash?.(done, total);
  };
  const files: FoundFile[] = [];
  for (const [index, path] of paths.entries()) {
    const full = join(directory, path);
    const version = versions[index] ?? (await versionOf(directory, path));
    const bytes = Number(version.size);
    const known = await hashes?.get(full);
    if (known !== undefined) tell(bytes);
    const sha256 = known ?? (await (hashes?.hash(full, tell) ?? hashFile(full, tell)));
    files.push({ path, bytes, sha256, version });
  }
  await hashes?.save();
  return files;
}

async function versionOf(directory: string, path: string): Promise<FileVersion> {
  const version = await fileVersion(join(directory, path));
  if (version === undefined) throw refuse(directory, `${path} is no longer there`);
  return version;
}

/** Never bytes other than the ones that are named: every file that is loaded is in the lock, with this hash. */
function checkHashes(directory: string, lock: ModelLock, files: readonly ModelFile[]): void {
  const locked = new Map(lock.files.map((file) => [file.path, file]));
  for (const { path, sha256 } of files) {
    const file = locked.get(path);
    const problem = file === undefined ? 'is not of the model that was downloaded here' : hashProblem(file, sha256);
    if (problem !== undefined) throw lockFault(directory, lock, path, problem);
  }
}

function endTokens(ids: ModelConfig['eos_token_id']): number[] {
  if (ids === null || ids === undefined) return [];
  return Array.isArray(ids) ? ids : [ids];
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}

function missing(directory: string, file: string): TokenscopeError {
  return refuse(
    directory,
    `${file} is missing`,
    'a model folder holds config.json, tokenizer.json, tokenizer_config.json and onnx/*.onnx',
  );
}

function refuse(path: string, message: string, remedy?: string): TokenscopeError {
  return new TokenscopeError('model', message, { path, ...(remedy === undefined ? {} : { remedy }) });
}
