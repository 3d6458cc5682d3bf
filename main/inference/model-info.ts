import type { ModelFolder } from '../../shared/model-folder.ts';
import type { ModelInfo } from '../../shared/record.ts';
import type { CachePair } from './cache-pairs.ts';
import type { DecoderSession } from './session.ts';

const BYTES = { float32: 4, float16: 2 } as const;

/** What a record says of the model: figures counted from the graph, not taken from a name. */
export function modelInfo(folder: ModelFolder, session: DecoderSession): ModelInfo {
  const { signature, graph } = session;
  return {
    id: folder.id,
    revision: folder.revision,
    license: folder.license,
    dtype: Object.keys(graph.weightTypes)[0] ?? 'unknown',
    attention_backend: graph.opTypes.has('GroupQueryAttention') ? 'GroupQueryAttention' : 'decomposed',
    parameters: graph.parameters,
    weight_bytes: graph.weightBytes,
    layers: signature.layers,
    ...cacheInfo(signature.cache),
    weights: folder.weights,
    ...(folder.config.max_position_embeddings === undefined
      ? {}
      : { context_tokens: folder.config.max_position_embeddings }),
    files: folder.files.map(({ path, bytes, sha256 }) => ({ path, bytes, sha256 })),
    graph: folder.graph,
    logits_control: signature.logitsControl.kind,
    ...(session.unlimited === null ? {} : { logits_note: session.unlimited }),
  };
}

/** Of layers that differ, only what they have in common is told, and the bytes of all. */
function cacheInfo(cache: readonly CachePair[]): Partial<ModelInfo> {
  const heads = common(cache.map((pair) => pair.heads));
  const size = common(cache.map((pair) => pair.size));
  const type = common(cache.map((pair) => pair.type));
  return {
    ...(heads === undefined ? {} : { kv_heads: heads }),
    ...(size === undefined ? {} : { head_dim: size }),
    ...(type === undefined ? {} : { kv_dtype: type }),
    kv_bytes_per_token: cache.reduce((sum, pair) => sum + pair.heads * pair.size * BYTES[pair.type], 0),
  };
}

function common<T>(values: readonly T[]): T | undefined {
  return new Set(values).size === 1 ? values[0] : undefined;
}
