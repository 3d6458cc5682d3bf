import { basename, dirname, join } from 'node:path';
import { env, InferenceSession, listSupportedBackends, Tensor } from 'onnxruntime-node';
import { messageOf, TokenscopeError } from '../../shared/errors.ts';
import type { ModelFolder } from '../../shared/model-folder.ts';
import type { Device, DeviceChoice } from '../../shared/plan.ts';
import {
  deviceFailure,
  type DeviceInUse,
  deviceRefusal,
  devicesToTry,
  fetchesOn,
  missingLibrary,
  providerOf,
} from './devices.ts';
import { asBits } from './float16.ts';
import { loadFailure, passFailure } from './load-failure.ts';
import {
  type EditedGraph,
  type GraphValue,
  limitLogits,
  LOGITS_START,
  type ParsedGraph,
  readGraph,
  serializeGraph,
  transposedFirst,
} from './onnx-graph.ts';
import { discoverSignature, type Signature } from './signature.ts';
import type { ValueInfo } from './value-info.ts';

export { Tensor };
export const RUNTIME_VERSION = env.versions.node ?? env.versions.common;
const RUNTIME = `onnxruntime ${RUNTIME_VERSION}`;
export type Feeds = Record<string, Tensor>;

/** A loaded decoder graph. Only this file knows the runtime. */
export interface DecoderSession {
  readonly signature: Signature;
  readonly graph: ParsedGraph;
  readonly threads: number;
  readonly inUse: DeviceInUse;
  /** Why the head computes every position whatever is asked for, in words; null where the caller has the choice. */
  readonly unlimited: string | null;
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
  device: DeviceChoice;
}

/**
 * Loads the graph of a model folder, with the head limited to the positions that are asked for where that is possible.
 * Throws a `model` error for a graph that cannot be run, before its weights are loaded where that can be told from its
 * inputs and outputs, and an `argument` error for a device that is not there.
 */
export async function loadSession(folder: ModelFolder, options: SessionOptions): Promise<DecoderSession> {
  const devices = devicesToTry(
    options.device,
    listSupportedBackends().map(({ name }) => name),
  );
  const path = join(folder.directory, folder.graph);
  const graph = readGraph(path);
  discoverSignature(graph.inputs.map(graphValue), graph.outputs.map(graphValue), undefined);
  const limited = limitLogits(graph);
  // Edited or not, the runtime is handed the graph alone; the weights stay in the user's files, mapped from there. Given
  // the path of a file that holds its weights itself, it would read all of them into memory first.
  const edited = transposedFirst(limited.kind === 'limited' ? limited.graph : graph);
  const { session, inUse } = await openOn(devices, (device) => createSession(path, edited, device, options.threads));
  const signature = discoverSignature(
    session.inputMetadata.map(valueInfo),
    session.outputMetadata.map(valueInfo),
    limited.kind === 'limited' ? LOGITS_START : undefined,
  );
  const halves = [signature.logits, ...signature.present];
  const hasHalves = signature.logitsType === 'float16' || signature.cache.some(({ type }) => type === 'float16');
  let released = false;

  return {
    signature,
    graph,
    threads: options.threads,
    inUse,
    unlimited: limited.kind === 'unchanged' && signature.logitsControl.kind === 'none' ? limited.reason : null,
    async run(feeds, fetches) {
      const results = await pass(session, feeds, fetchesOn(inUse.device, fetches));
      if (hasHalves) {
        for (const name of halves) {
          const tensor = results[name];
          if (tensor !== undefined) asBits(tensor);
        }
      }
      return results;
    },
    async release() {
      if (released) return;
      released = true;
      await session.release();
    },
  };
}

async function pass(session: InferenceSession, feeds: Feeds, fetches: readonly string[] | undefined): Promise<Feeds> {
  try {
    return await (fetches === undefined ? session.run(feeds) : session.run(feeds, fetches));
  } catch (cause) {
    throw passFailure(cause, RUNTIME);
  }
}

/** The first device that loads the graph. One that is passed over is named in the note of the one that is taken. */
async function openOn(
  devices: readonly Device[],
  open: (device: Device) => Promise<InferenceSession>,
): Promise<{ session: InferenceSession; inUse: DeviceInUse }> {
  const passedOver: string[] = [];
  for (const [index, device] of devices.entries()) {
    const isLast = index === devices.length - 1;
    const missing = missingLibrary(device);
    try {
      if (missing !== undefined) throw deviceRefusal(device, missing);
      const session = await open(device);
      const note = passedOver.length === 0 ? null : passedOver.join('; ');
      return { session, inUse: { device, provider: providerOf(device), note } };
    } catch (error) {
      if (isLast) throw error;
      const isDevice = error instanceof TokenscopeError && error.code === 'argument';
      passedOver.push(isDevice ? error.message : `${device}: ${messageOf(error)}`);
    }
  }
  throw new Error('there is always a device to try');
}

async function createSession(
  path: string,
  graph: EditedGraph,
  device: Device,
  threads: number,
): Promise<InferenceSession> {
  const options: InferenceSession.SessionOptions = {
    executionProviders: [device],
    graphOptimizationLevel: 'all',
    executionMode: 'sequential',
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    logSeverityLevel: 4,
  };
  // Whatever goes wrong comes back as an error as well; the runtime's own log would write it to the terminal before. Set
  // here because transformers.js, which uses the same runtime, sets it when it is loaded.
  env.logLevel = 'fatal';
  try {
    return await InferenceSession.create(serializeGraph(graph), {
      ...options,
      extra: { session: { model_external_initializers_file_folder_path: dirname(path) } },
    });
  } catch (cause) {
    const reason = deviceFailure(device, messageOf(cause));
    throw reason === undefined ? loadFailure(cause, basename(path), RUNTIME) : deviceRefusal(device, reason);
  }
}

function valueInfo(metadata: InferenceSession.ValueMetadata): ValueInfo {
  return metadata.isTensor
    ? { name: metadata.name, type: metadata.type, shape: metadata.shape }
    : { name: metadata.name, type: 'not a tensor', shape: null };
}

function graphValue({ name, dtype, shape }: GraphValue): ValueInfo {
  return { name, type: dtype, shape };
}
