import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { messageOf, TokenscopeError } from '../../shared/errors.ts';
import type { SynthesizeRequest } from '../../shared/messages.ts';
import { parameterCount, shapeOfConfig } from '../../shared/model-shape.ts';
import type { ModelShape } from '../../shared/model-shape.ts';
import { PRESETS, presetNamed } from '../../shared/presets.ts';
import type { SpecialTokens } from '../../shared/presets.ts';
import { bytes as inBytes } from '../../shared/units.ts';
import { buildDecoder } from './decoder-graph.ts';
import { decoderWeights } from './decoder-weights.ts';
import { GraphBuilder } from './graph-builder.ts';
import { specialTokensOf } from './special-tokens.ts';
import { syntheticCard } from './synthetic-card.ts';
import { leastVocabulary, readBaseTokenizer, syntheticTokenizer } from './synthetic-tokenizer.ts';
import type { BaseTokenizer } from './synthetic-tokenizer.ts';
import { layOut, weightValues, writeWeights } from './weight-file.ts';
import type { WeightLayout } from './weight-file.ts';

const DATA_FILE = 'model.onnx_data';
/** Room for the tokenizer, the graph and the small weights, beside the weights themselves. */
const SIDE_FILES_BYTES = 64 * 1024 * 1024;
/** A config.json is some kilobytes. */
const MOST_CONFIG_BYTES = 1024 * 1024;

export interface SynthesizeOptions {
  signal?: AbortSignal;
  /** Told at every block of weights, with bytes written and in all. */
  onProgress?: (doneBytes: number, totalBytes: number) => void;
}

export interface SynthesizedModel {
  /** Absolute path. */
  directory: string;
  parameters: number;
  /** Of all files together. */
  bytes: number;
}

/** What is to be written, before anything is. */
interface Model {
  readonly name: string;
  readonly preset: string | null;
  readonly seed: number;
  readonly config: Readonly<Record<string, unknown>>;
  readonly shape: ModelShape;
  readonly special: SpecialTokens;
}

/**
 * Writes a model folder of a given shape with random weights from a seed. The folder appears under its name when it is
 * complete; if it fails or is cancelled, nothing remains. Undefined: cancelled. Throws an `argument` error for an unknown
 * preset or a seed out of bounds, a `model` error for a shape that cannot be written, a `file` error for a target that is
 * not free or a disk that is too full.
 */
export async function synthesize(
  request: SynthesizeRequest,
  options: SynthesizeOptions = {},
): Promise<SynthesizedModel | undefined> {
  const model = await modelOf(request);
  const base = await readBaseTokenizer(request.tokenizer_from);
  const least = leastVocabulary(base);
  if (model.shape.vocabularySize < least) {
    throw new TokenscopeError(
      'model',
      `vocab_size is ${model.shape.vocabularySize}, the tokenizer needs at least ${least}`,
    );
  }
  const target = resolve(request.out);
  const layout = layOut(decoderWeights(model.shape));
  const replaces = await checkTarget(target, request.force);
  await checkSpace(dirname(target), layout.bytes + SIDE_FILES_BYTES);

  const draft = join(dirname(target), `.${basename(target)}.${randomBytes(4).toString('hex')}.partial`);
  try {
    const complete = await writeFolder(draft, model, base, layout, options);
    if (!complete) {
      await rm(draft, { recursive: true, force: true });
      return undefined;
    }
    await moveInto(draft, target, replaces);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (error instanceof TokenscopeError) throw error;
    throw new TokenscopeError('file', `cannot be written: ${messageOf(error)}`, { path: target, cause: error });
  }
  return { directory: target, parameters: parameterCount(model.shape), bytes: await folderBytes(target) };
}

async function modelOf(request: SynthesizeRequest): Promise<Model> {
  const { preset: presetName, config: configPath, seed } = request;
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw new TokenscopeError(
      'argument',
      `seed is ${seed}, it must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`,
    );
  }
  if ((presetName === null) === (configPath === null)) {
    throw new TokenscopeError('argument', 'name either a preset or a config.json, not both');
  }
  if (presetName !== null) {
    const preset = presetNamed(presetName);
    if (preset === undefined) {
      throw new TokenscopeError('argument', `there is no preset "${presetName}"`, {
        remedy: `presets: ${PRESETS.map(({ name }) => name).join(', ')}`,
      });
    }
    const { config, special } = preset;
    return { name: presetName, preset: presetName, seed, config, shape: shapeOfConfig(config), special };
  }
  const path = configPath ?? '';
  const config = await readConfig(path);
  const shape = shapeOfConfig(config, path);
  const name = basename(dirname(resolve(path)));
  return { name, preset: null, seed, config, shape, special: specialTokensOf(config, shape.vocabularySize, path) };
}

async function readConfig(path: string): Promise<Record<string, unknown>> {
  try {
    const { size } = await stat(path);
    if (size > MOST_CONFIG_BYTES) throw new Error(`it has ${size} bytes, a configuration at most ${MOST_CONFIG_BYTES}`);
    return z
      .record(z.string(), z.unknown(), { error: 'it holds no JSON object' })
      .parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    const reason = error instanceof z.ZodError ? (error.issues[0]?.message ?? '') : messageOf(error);
    throw new TokenscopeError('model', `cannot be read as a configuration: ${reason}`, { path, cause: error });
  }
}

/** Whether there is a folder to replace. Only a synthesized one may be: anything else could be a person's work. */
async function checkTarget(target: string, force: boolean): Promise<boolean> {
  const kind = await stat(target).catch(() => undefined);
  if (kind === undefined) return false;
  if (!kind.isDirectory()) throw new TokenscopeError('file', 'is a file, a model is a folder', { path: target });
  const names = await readdir(target);
  if (names.length === 0) return true;
  if (!force) {
    throw new TokenscopeError('file', `already holds ${names.length} files or folders`, {
      path: target,
      remedy: 'choose another folder, or --force to replace a synthesized model',
    });
  }
  const config = await readConfig(join(target, 'config.json')).catch(() => ({}));
  if (!z.looseObject({ tokenscope: z.looseObject({ weights: z.literal('synthetic') }) }).safeParse(config).success) {
    throw new TokenscopeError('file', 'holds something other than a synthesized model, which is not replaced', {
      path: target,
      remedy: 'choose another folder',
    });
  }
  return true;
}

async function checkSpace(parent: string, needed: number): Promise<void> {
  try {
    await mkdir(parent, { recursive: true });
    const { bavail, bsize } = await statfs(parent);
    if (bavail * bsize < needed) {
      throw new TokenscopeError('file', `has ${inBytes(bavail * bsize)} free, the model needs ${inBytes(needed)}`, {
        path: parent,
        remedy: 'free some space or choose another disk',
      });
    }
  } catch (error) {
    if (error instanceof TokenscopeError) throw error;
    throw new TokenscopeError('file', `cannot be written to: ${messageOf(error)}`, { path: parent, cause: error });
  }
}

async function writeFolder(
  folder: string,
  model: Model,
  base: BaseTokenizer,
  layout: WeightLayout,
  { signal, onProgress }: SynthesizeOptions,
): Promise<boolean> {
  const { shape, special, seed } = model;
  await mkdir(join(folder, 'onnx'), { recursive: true });
  const isCancelled = () => signal?.aborted === true;
  if (layout.bytes > 0) {
    const file = await open(join(folder, 'onnx', DATA_FILE), 'w');
    try {
      const progress = (bytes: number) => onProgress?.(bytes, layout.bytes);
      if (!(await writeWeights(file, layout, seed, signal, progress))) return false;
    } finally {
      await file.close();
    }
  }
  if (isCancelled()) return false;
  await writeFile(join(folder, 'onnx', 'model.onnx'), graphBytes(model, layout));
  const tokenizer = syntheticTokenizer(base, shape.vocabularySize, special, shape.maxPositions, seed);
  const settings: readonly (readonly [name: string, value: unknown])[] = [
    ['tokenizer.json', tokenizer.tokenizer],
    ['tokenizer_config.json', tokenizer.config],
    ['special_tokens_map.json', tokenizer.specialTokensMap],
    ['generation_config.json', generationConfig(special)],
    ['config.json', ownConfig(model)],
  ];
  for (const [name, value] of settings) await writeFile(join(folder, name), `${JSON.stringify(value, null, 2)}\n`);
  await writeFile(join(folder, 'README.md'), syntheticCard(model.name, shape, seed));
  return !isCancelled();
}

function graphBytes({ name, shape, seed }: Model, layout: WeightLayout): Uint8Array {
  const builder = new GraphBuilder();
  for (const { weight, offset, length } of layout.external) {
    builder.external(weight.name, weight.dims, DATA_FILE, offset, length);
  }
  for (const weight of layout.inline) builder.float32(weight.name, weight.dims, weightValues(weight, seed));
  buildDecoder(builder, shape);
  return builder.bytes(`synthetic ${name}`, { 'tokenscope.weights': 'synthetic', 'tokenscope.seed': String(seed) });
}

function ownConfig({ name, preset, seed, config, special }: Model): Record<string, unknown> {
  // What the weights were quantized to, and where they came from, does not hold for ours.
  const { quantization_config: _, ...shapeFields } = config;
  return {
    ...shapeFields,
    _name_or_path: `synthetic/${name}`,
    bos_token_id: special.endOfText,
    eos_token_id: special.turnEnd,
    pad_token_id: special.endOfText,
    torch_dtype: 'float32',
    tokenscope: { weights: 'synthetic', seed, preset },
  };
}

function generationConfig({ endOfText, turnEnd }: SpecialTokens): Record<string, unknown> {
  return { bos_token_id: endOfText, do_sample: false, eos_token_id: [turnEnd, endOfText], pad_token_id: endOfText };
}

async function moveInto(draft: string, target: string, replaces: boolean): Promise<void> {
  if (!replaces) {
    await rename(draft, target);
    return;
  }
  const old = `${draft}.replaced`;
  await rename(target, old);
  try {
    await rename(draft, target);
  } catch (error) {
    await rename(old, target);
    throw error;
  }
  await rm(old, { recursive: true, force: true });
}

async function folderBytes(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return bytes;
}
