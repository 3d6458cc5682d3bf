import { InferenceSession, Tensor } from 'onnxruntime-node';
import { limitLogits, readGraph, serializeGraph } from '../../main/inference/onnx-graph.ts';

/** A session on one thread, either of a file as it is or of an edited graph. */
export function createSession(graph: string | Uint8Array, folder?: string): Promise<InferenceSession> {
  const options: InferenceSession.SessionOptions = {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    // Failures are errors as well; those that are expected would only fill the output.
    logSeverityLevel: 4,
    ...(folder === undefined ? {} : { extra: { session: { model_external_initializers_file_folder_path: folder } } }),
  };
  return typeof graph === 'string' ? InferenceSession.create(graph, options) : InferenceSession.create(graph, options);
}

/** The graph of a file with its head limited, which the graph must allow. */
export async function createLimitedSession(path: string): Promise<InferenceSession> {
  const limited = limitLogits(readGraph(path));
  if (limited.kind !== 'limited') throw new Error(JSON.stringify(limited));
  return createSession(serializeGraph(limited.graph), limited.graph.directory);
}

export function int64(values: readonly (number | bigint)[], dims: readonly number[]): Tensor {
  return new Tensor('int64', BigInt64Array.from(values.map(BigInt)), dims);
}

/** Feeds of a decoder: `rows` of ids, each behind `padding` masked places, on top of an empty or a given cache. */
export function decoderFeeds(
  session: InferenceSession,
  rows: readonly (readonly number[])[],
  options: {
    mask?: readonly (readonly number[])[];
    positions?: readonly (readonly number[])[];
    past?: Record<string, Tensor>;
  } = {},
): Record<string, Tensor> {
  const length = rows[0]!.length;
  const mask = options.mask ?? rows.map((row) => row.map(() => 1));
  const positions = options.positions ?? rows.map((row) => row.map((_, index) => index));
  const feeds: Record<string, Tensor> = {
    input_ids: int64(rows.flat(), [rows.length, length]),
    attention_mask: int64(mask.flat(), [rows.length, mask[0]!.length]),
    position_ids: int64(positions.flat(), [rows.length, length]),
  };
  for (const input of session.inputMetadata) {
    if (!input.isTensor || !input.name.startsWith('past_key_values')) continue;
    const empty = [rows.length, Number(input.shape[1]), 0, Number(input.shape[3])];
    feeds[input.name] = options.past?.[input.name] ?? new Tensor('float32', new Float32Array(0), empty);
  }
  return feeds;
}

/** The caches of a step, under the names of the next step's inputs. */
export function pastOf(results: Record<string, Tensor>): Record<string, Tensor> {
  return Object.fromEntries(
    Object.entries(results).map(([name, tensor]) => [name.replace('present', 'past_key_values'), tensor]),
  );
}

export function floats(tensor: Tensor | undefined): Float32Array {
  if (!(tensor?.data instanceof Float32Array)) throw new Error('no float32 tensor');
  return tensor.data;
}

/** The largest difference between two vectors of the same length. */
export function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return Number.POSITIVE_INFINITY;
  let largest = 0;
  for (let index = 0; index < a.length; index += 1) {
    const difference = Math.abs(a[index]! - b[index]!);
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}
