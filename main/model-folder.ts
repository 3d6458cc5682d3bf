import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { messageOf, TokenscopeError } from '../shared/errors.ts';
import {
  generationConfigSchema,
  type ModelConfig,
  modelConfigSchema,
  type ModelFile,
  type ModelFolder,
} from '../shared/model-folder.ts';

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
}

/** A model folder that was found complete, and the files inside it that the model depends on. */
export interface InspectedModel {
  folder: Omit<ModelFolder, 'files'>;
  paths: string[];
}

/**
 * Reads a model folder in the Hugging Face ONNX layout: config.json, tokenizer.json, tokenizer_config.json,
 * onnx/*.onnx with or without external data, and generation_config.json if there is one. Every file the model depends on
 * is hashed. Throws a `model` error that names the file and what is wrong with it.
 */
export async function findModel(folder: string, options: FindModelOptions = {}): Promise<ModelFolder> {
  const { folder: found, paths } = await inspectModel(folder, options.graph);
  return { ...found, files: await hashFiles(found.directory, paths, options.onHash) };
}

/** As findModel, without the hashes: whether a folder can be used, known in a moment whatever its size. */
export async function inspectModel(folder: string, wantedGraph?: string): Promise<InspectedModel> {
  const directory = resolve(folder);
  const kind = await stat(directory).catch(() => undefined);
  if (kind === undefined) throw refuse(directory, 'there is no such folder', 'check the path');
  if (!kind.isDirectory())
    throw refuse(directory, 'is a file, a model is a folder', 'name the folder that holds config.json');

  const config = await readConfig(directory, 'config.json', modelConfigSchema);
  if (config === undefined) throw missing(directory, 'config.json');
  const generation = (await readConfig(directory, 'generation_config.json', generationConfigSchema)) ?? {};
  for (const file of ['tokenizer.json', 'tokenizer_config.json']) {
    if (!(await isFile(join(directory, file)))) throw missing(directory, file);
  }
  const graph = await chooseGraph(directory, wantedGraph);
  const eosTokenIds = endTokens(generation.eos_token_id ?? config.eos_token_id);

  const found: Omit<ModelFolder, 'files'> = {
    directory,
    id:
      typeof config['_name_or_path'] === 'string' && config['_name_or_path'] !== ''
        ? config['_name_or_path']
        : basename(directory),
    revision: null,
    license: null,
    weights: ownConfigSchema.safeParse(config).data?.tokenscope === undefined ? 'trained' : 'synthetic',
    graph: `onnx/${graph}`,
    config,
    generation,
    eosTokenIds,
    padTokenId: generation.pad_token_id ?? eosTokenIds[0] ?? 0,
  };
  return { folder: found, paths: await filesOf(directory, graph) };
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

async function chooseGraph(directory: string, wanted: string | undefined): Promise<string> {
  const folder = join(directory, 'onnx');
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
async function filesOf(directory: string, graph: string): Promise<string[]> {
  const data = (await readdir(join(directory, 'onnx'))).filter((name) => name !== graph && name.startsWith(graph));
  const names = ['config.json', 'generation_config.json', 'tokenizer.json', 'tokenizer_config.json'];
  const settings: string[] = [];
  for (const name of names) if (await isFile(join(directory, name))) settings.push(name);
  return [...settings, `onnx/${graph}`, ...data.toSorted().map((name) => `onnx/${name}`)];
}

async function hashFiles(
  directory: string,
  paths: readonly string[],
  onHash: FindModelOptions['onHash'],
): Promise<ModelFile[]> {
  const sizes = await Promise.all(paths.map(async (path) => (await stat(join(directory, path))).size));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  let done = 0;
  const files: ModelFile[] = [];
  for (const [index, path] of paths.entries()) {
    const hash = createHash('sha256');
    try {
      for await (const block of createReadStream(join(directory, path), { highWaterMark: 1 << 20 })) {
        if (!(block instanceof Uint8Array)) continue;
        hash.update(block);
        done += block.length;
        onHash?.(done, total);
      }
    } catch (cause) {
      throw refuse(join(directory, path), `cannot be read: ${messageOf(cause)}`);
    }
    files.push({ path, bytes: sizes[index] ?? 0, sha256: hash.digest('hex') });
  }
  return files;
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
