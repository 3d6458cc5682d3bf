import { z } from 'zod';

/** The fields of config.json that the profiler reads. All other fields are the model's own business. */
export const modelConfigSchema = z.looseObject({
  model_type: z.string().optional(),
  architectures: z.array(z.string()).optional(),
  hidden_size: z.int().positive().optional(),
  num_hidden_layers: z.int().positive().optional(),
  num_attention_heads: z.int().positive().optional(),
  num_key_value_heads: z.int().positive().optional(),
  head_dim: z.int().positive().nullable().optional(),
  vocab_size: z.int().positive().optional(),
  max_position_embeddings: z.int().positive().optional(),
  eos_token_id: z
    .union([z.int(), z.array(z.int())])
    .nullable()
    .optional(),
});
export type ModelConfig = z.infer<typeof modelConfigSchema>;

/** The fields of generation_config.json that the profiler reads. Sampling settings are recorded, never applied. */
export const generationConfigSchema = z.looseObject({
  eos_token_id: z
    .union([z.int(), z.array(z.int())])
    .nullable()
    .optional(),
  pad_token_id: z.int().nullable().optional(),
  do_sample: z.boolean().nullable().optional(),
  repetition_penalty: z.number().nullable().optional(),
});
export type GenerationConfig = z.infer<typeof generationConfigSchema>;

export const modelFileSchema = z.object({
  /** Inside the folder, with forward slashes. */
  path: z.string(),
  bytes: z.int().nonnegative(),
  sha256: z.string(),
});
export type ModelFile = z.infer<typeof modelFileSchema>;

/** What tells that a file was written since: all as decimal text, times in nanoseconds. */
export const fileVersionSchema = z.object({
  inode: z.string(),
  size: z.string(),
  mtime: z.string(),
  ctime: z.string(),
});
export type FileVersion = z.infer<typeof fileVersionSchema>;

/** A file of a folder, and its version from before it was hashed. */
export const foundFileSchema = modelFileSchema.extend({ version: fileVersionSchema });
export type FoundFile = z.infer<typeof foundFileSchema>;

/** A model folder that has been found complete: what the inference worker needs to load it. */
export const modelFolderSchema = z.object({
  /** Absolute path of the folder. */
  directory: z.string(),
  /** For people: the name in the model's own metadata, or the folder's. */
  id: z.string(),
  revision: z.string().nullable(),
  license: z.string().nullable(),
  weights: z.enum(['trained', 'synthetic']),
  /** The graph, inside the folder, with forward slashes: `onnx/model.onnx`. */
  graph: z.string(),
  files: z.array(foundFileSchema),
  config: modelConfigSchema,
  generation: generationConfigSchema,
  /** Tokens that end a reply, from generation_config.json or else config.json. */
  eosTokenIds: z.array(z.int()),
  /** Fed to rows that have ended, and in front of short rows; masked either way. */
  padTokenId: z.int(),
});
export type ModelFolder = z.infer<typeof modelFolderSchema>;
