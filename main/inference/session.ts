import { basename, dirname, join } from 'node:path';
import { env, InferenceSession, Tensor } from 'onnxruntime-node';
import { messageOf, TokenscopeError } from '../../shared/errors.ts';
import type { ModelFolder } from '../../shared/model-folder.ts';
import { type EditedGraph, limitLogits, type ParsedGraph, readGraph, serializeGraph } from './onnx-graph.ts';
import { discoverSignature, type Signature, type ValueInfo } from './signature.ts';

export { Tensor };
export const RUNTIME_VERSION = env.versions.node ?? env.versions.common;
export type Feeds = Record<string, Tensor>;

/** A loaded decoder graph. Only this file knows the runtime. */
export interface DecoderSession {
  readonly signature: Signature;
  readonly graph: ParsedGraph;
  readonly threads: number;
  /**
   * One forward pass. Every output that is fetched is copied by the runtime, so name what the step needs; without
   * names all outputs are fetched. Inputs are not copied.
   */
  run(feeds: Feeds, fetches?: readonly string[]): Promise<Feeds>;
  /** Ends the session. A second call does nothing (the runtime itself would throw). */
  release(): Promise<void>;
}

/** What the runtime needs to know besides the folder. */
export interface SessionOptions {
  threads: number;
}

/** Loads the graph of a model folder, with the head limited to the positions that are asked for where that is possible. */
export async function loadSession(folder: ModelFolder, options: SessionOptions): Promise<DecoderSession> {
  const path = join(folder.directory, folder.graph);
  const graph = readGraph(path);
  const limited = limitLogits(graph);
  const session = await createSession(path, limited.kind === 'limited' ? limited.graph : undefined, options.threads);
  const signature = discoverSignature(
    session.inputMetadata.map(valueInfo),
    session.outputMetadata.map(valueInfo),
    limited.kind === 'limited' ? limited.input : undefined,
  );
  let released = false;

  return {
    signature,
    graph,
    threads: options.threads,
    run: (feeds, fetches) => (fetches === undefined ? session.run(feeds) : session.run(feeds, fetches)),
    async release() {
      if (released) return;
      released = true;
      await session.release();
    },
  };
}

async function createSession(path: string, graph: EditedGraph | undefined, threads: number): Promise<InferenceSession> {
  const options: InferenceSession.SessionOptions = {
    executionProviders: ['cpu'],
    graphOptimizationLevel: 'all',
    executionMode: 'sequential',
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    logSeverityLevel: 3,
  };
  try {
    if (graph === undefined) return await InferenceSession.create(path, options);
    // The graph is edited in memory only; its weights stay in the user's files, mapped from there.
    return await InferenceSession.create(serializeGraph(graph), {
      ...options,
      extra: { session: { model_external_initializers_file_folder_path: dirname(path) } },
    });
  } catch (cause) {
    throw new TokenscopeError('model', `the runtime cannot load the graph: ${messageOf(cause)}`, {
      path: basename(path),
      remedy: 'check that the file is complete and that this runtime supports its variant',
      cause,
    });
  }
}

function valueInfo(metadata: InferenceSession.ValueMetadata): ValueInfo {
  return metadata.isTensor
    ? { name: metadata.name, type: metadata.type, shape: metadata.shape }
    : { name: metadata.name, type: 'not a tensor', shape: [] };
}
