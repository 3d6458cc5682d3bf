import type { RecordHeader } from '../../shared/messages.ts';
import type { ModelFolder } from '../../shared/model-folder.ts';
import type { DeviceChoice } from '../../shared/plan.ts';
import { roundTo3 } from '../../shared/statistics.ts';
import { type Clock, processClock } from './clock.ts';
import type { LoadedModel } from './decoder.ts';
import { environment } from './environment.ts';
import { Constants } from './forward.ts';
import { modelInfo } from './model-info.ts';
import { loadSession } from './session.ts';
import { SOURCE_SHA256 } from './source-hash.ts';
import { defaultThreads } from './threads.ts';
import { loadTokenizer, readTemplate } from './tokenizer.ts';

/** Loads tokenizer and graph of a folder and says what was loaded and how long each took. */
export async function loadModel(
  folder: ModelFolder,
  { threads, device = 'cpu' }: { threads: number | null; device?: DeviceChoice },
  onStage: (stage: 'tokenizer' | 'model') => void = () => undefined,
  clock: Clock = processClock,
): Promise<{ model: LoadedModel; header: RecordHeader }> {
  onStage('tokenizer');
  const started = clock();
  const tokenizer = await loadTokenizer(folder.directory, await readTemplate(folder));
  const tokenizerLoaded = clock();
  onStage('model');
  const session = await loadSession(folder, { threads: threads ?? defaultThreads(), device });
  const loaded = clock();
  return {
    model: {
      session,
      tokenizer,
      eosTokenIds: new Set(folder.eosTokenIds),
      padTokenId: folder.padTokenId,
      contextTokens: folder.config.max_position_embeddings,
      constants: new Constants(),
      clock,
    },
    header: {
      environment: environment(session.threads, session.inUse),
      model: { ...modelInfo(folder, session), chat_template: tokenizer.chatTemplate },
      load: {
        model_ms: roundTo3(loaded - tokenizerLoaded),
        tokenizer_ms: roundTo3(tokenizerLoaded - started),
        reused: false,
      },
      source_sha256: SOURCE_SHA256,
    },
  };
}
