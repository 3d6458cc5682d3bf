import { toBinary } from '@bufbuild/protobuf';
import { ModelProtoSchema } from 'onnx-buf';
import type { EditedGraph } from './onnx-head.ts';

export { limitLogits, LOGITS_START, LOGITS_TO_KEEP } from './onnx-head.ts';
export type { EditedGraph, LimitedLogits } from './onnx-head.ts';
export { transposedFirst } from './onnx-order.ts';
export { readGraph } from './onnx-read.ts';
export type { GraphValue, ParsedGraph } from './onnx-read.ts';
export type { ExternalFile } from './onnx-external.ts';

/**
 * The bytes of a graph for `InferenceSession.create`. Large weights are references into files of `graph.directory`, so
 * the session needs `extra: { session: { model_external_initializers_file_folder_path: graph.directory } }`.
 */
export function serializeGraph(graph: EditedGraph): Uint8Array<ArrayBuffer> {
  return toBinary(ModelProtoSchema, graph.model);
}
