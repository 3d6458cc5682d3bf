import { join } from 'node:path';
import { loadModel } from '../../main/inference/load-model.ts';
import type { LoadedModel } from '../../main/inference/decoder.ts';
import { runRequest } from '../../main/inference/decoder.ts';
import { findModel } from '../../main/model-folder.ts';
import type { Sample } from '../../shared/record.ts';
import type { DecodeRequest } from '../../shared/request.ts';

export const DEMO_FOLDER = join(import.meta.dirname, '../../resources/demo-model');

/** The embedded model on one thread: the figures of a test do not depend on the machine's cores. */
export async function loadDemo(): Promise<LoadedModel> {
  return (await loadModel(await findModel(DEMO_FOLDER), { threads: 1 })).model;
}

/** A request with the reference lab's defaults. */
export function request(prompt: string, change: Partial<DecodeRequest> = {}): DecodeRequest {
  return {
    prompt,
    max_new_tokens: 24,
    use_cache: true,
    chunk_size: null,
    cancel_after: null,
    logits: 'last',
    ...change,
  };
}

/** The sample of a request that is expected to have one. */
export async function sampleOf(model: LoadedModel, wanted: DecodeRequest): Promise<Sample> {
  const result = await runRequest(model, wanted);
  if (result.kind !== 'sample') throw new Error('the request was stopped before its first token');
  return result.sample;
}
