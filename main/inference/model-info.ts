import type { ModelFolder } from '../../shared/model-folder.ts';
import type { ModelInfo } from '../../shared/record.ts';
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
    kv_heads: signature.kvHeads,
    head_dim: signature.headDim,
    kv_bytes_per_token: 2 * signature.layers * signature.kvHeads * signature.headDim * BYTES[signature.cacheType],
    weights: folder.weights,
    ...(folder.config.max_position_embeddings === undefined
      ? {}
      : { context_tokens: folder.config.max_position_embeddings }),
    files: folder.files,
    graph: folder.graph,
    /** Whether the positions that reach the head can be chosen, or every request computes all of them. */
    logits_control: signature.logitsControl.kind,
  };
}
