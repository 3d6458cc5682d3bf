import { roundTo3, mean } from '../../shared/statistics.ts';
import { checkContext, checkRequest, type DecodeRequest } from '../../shared/request.ts';
import { computedLogits, type LogitsMode, type Sample, type StopReason } from '../../shared/record.ts';
import { argmax } from './argmax.ts';
import type { Clock } from './clock.ts';
import { tokenTexts } from './detokenizer.ts';
import { type Constants, createForward, type ForwardContext, lastLogits, type Logits } from './forward.ts';
import type { DecoderSession } from './session.ts';
import type { Tokenizer } from './tokenizer.ts';

/** Everything a request needs, loaded once and kept warm between requests. */
export interface LoadedModel {
  session: DecoderSession;
  tokenizer: Tokenizer;
  eosTokenIds: ReadonlySet<number>;
  padTokenId: number;
  /** Tokens that prompt and reply may fill together; undefined where the model does not say. */
  contextTokens: number | undefined;
  constants: Constants;
  clock: Clock;
}

export interface RequestObserver {
  /** Called after the prompt is tokenized and before it is evaluated. */
  onPrompt?: (promptTokens: number, tokenizationMs: number) => void;
  /** Called after each token is stamped. `atMs` counts from the start of the request. */
  onToken?: (id: number, atMs: number) => void;
  /** Stops at the next chunk of the prompt or the next token. */
  signal?: AbortSignal;
}

export type RequestResult =
  | { kind: 'sample'; sample: Sample }
  /** Stopped before the first token: there is no sample, since there is no wait that ended. */
  | { kind: 'stopped' };

/**
 * One request, measured: tokenize, evaluate the prompt, decode greedily, release.
 * The clock starts before the chat template; a token is stamped once it is chosen and available here.
 * Throws an `argument` error before anything runs if the request cannot be run.
 */
export async function runRequest(
  model: LoadedModel,
  request: DecodeRequest,
  observer: RequestObserver = {},
): Promise<RequestResult> {
  checkRequest(request);
  const { session, clock, tokenizer } = model;
  const started = clock();
  const promptIds = tokenizer.encodePrompt(request.prompt);
  const tokenized = clock();
  checkContext(promptIds.length, request.max_new_tokens, model.contextTokens);

  // Observing is not part of the request: what it costs here is measured and taken from no figure.
  const observerClock = { spent: 0 };
  const observe = (report: () => void) => {
    const before = clock();
    report();
    observerClock.spent += clock() - before;
  };
  const { onPrompt, onToken, signal } = observer;
  if (onPrompt !== undefined) observe(() => onPrompt(promptIds.length, tokenized - started));

  const forward = createForward(session, model.constants);
  const loop = { model, request, forward, context: contextBuffer(promptIds, request.max_new_tokens) };
  try {
    const prefill = await evaluatePrompt(loop, promptIds.length, signal);
    if (prefill === undefined) return { kind: 'stopped' };

    let logits = prefill.logits;
    const emitted: number[] = [];
    const arrivals: number[] = [];
    const forwardMs: number[] = [];
    let stop: StopReason;
    for (;;) {
      const row = lastLogits(logits);
      const token = argmax(row, 0, row.length);
      const arrival = clock() - started;
      emitted.push(token);
      arrivals.push(arrival);
      if (onToken !== undefined) observe(() => onToken(token, arrival));
      const reason = stopReason(model, request, token, emitted.length, signal);
      if (reason !== undefined) {
        stop = reason;
        break;
      }
      const length = promptIds.length + emitted.length;
      loop.context[length - 1] = BigInt(token);
      const before = clock();
      logits = await decodeStep(loop, length);
      forwardMs.push(clock() - before);
    }

    const cacheTokens = forward.length;
    return {
      kind: 'sample',
      sample: toSample(model, request, {
        promptTokens: promptIds.length,
        emitted,
        arrivals,
        stop,
        tokenizationMs: tokenized - started,
        prefillMs: prefill.chunkMs,
        forwardMs,
        computed: prefill.computed,
        cacheTokens,
        observerMs: observerClock.spent,
      }),
    };
  } finally {
    forward.release();
  }
}

interface Loop {
  model: LoadedModel;
  request: DecodeRequest;
  forward: ForwardContext;
  /** Prompt and reply: steps feed views of it. */
  context: BigInt64Array;
}

function contextBuffer(promptIds: readonly number[], maxNewTokens: number): BigInt64Array {
  const context = new BigInt64Array(promptIds.length + maxNewTokens);
  promptIds.forEach((id, index) => {
    context[index] = BigInt(id);
  });
  return context;
}

/** The prompt, at once or in chunks. Undefined if stopped by request before the end of the prompt. */
async function evaluatePrompt(
  { model, request, forward, context }: Loop,
  promptTokens: number,
  signal: AbortSignal | undefined,
): Promise<{ logits: Logits; chunkMs: number[]; computed: LogitsMode } | undefined> {
  const { clock } = model;
  const chunkMs: number[] = [];
  const chunk = request.chunk_size ?? promptTokens;
  for (let from = 0; ; from += chunk) {
    if (signal?.aborted === true) return undefined;
    const end = Math.min(from + chunk, promptTokens);
    const ids = context.subarray(from, end);
    const isLast = end === promptTokens;
    const before = clock();
    // Only the last chunk's logits choose a token. With `all`, every position is computed and handed over all the same:
    // that cost is what the mode is there to show.
    const want = isLast || request.logits === 'all' ? request.logits : 'none';
    const logits = request.use_cache ? await forward.extend(ids, want) : await forward.evaluate(ids, request.logits);
    chunkMs.push(clock() - before);
    if (isLast && logits !== undefined) return { logits, chunkMs, computed: computedOf(model, request, ids, logits) };
  }
}

/** What the graph did, as its answer shows; a single position shows nothing, so there its control has to tell. */
function computedOf(model: LoadedModel, request: DecodeRequest, ids: BigInt64Array, logits: Logits): LogitsMode {
  if (ids.length > 1) return logits.positions === 1 ? 'last' : 'all';
  return computedLogits(model.session.signature.logitsControl.kind, request.logits);
}

async function decodeStep({ request, forward, context }: Loop, length: number): Promise<Logits> {
  if (!request.use_cache) return forward.evaluate(context.subarray(0, length), request.logits);
  const logits = await forward.extend(context.subarray(length - 1, length), 'last');
  if (logits === undefined) throw new Error('a decode step always has logits');
  return logits;
}

function stopReason(
  model: LoadedModel,
  request: DecodeRequest,
  token: number,
  emitted: number,
  signal: AbortSignal | undefined,
): StopReason | undefined {
  if (model.eosTokenIds.has(token)) return 'eos';
  if (request.cancel_after !== null && emitted >= request.cancel_after) return 'cancelled';
  if (emitted === request.max_new_tokens) return 'length';
  if (signal?.aborted === true) return 'cancelled';
  return undefined;
}

interface Measured {
  promptTokens: number;
  emitted: number[];
  arrivals: number[];
  stop: StopReason;
  tokenizationMs: number;
  prefillMs: number[];
  forwardMs: number[];
  /** Positions of the prompt that the head computed. */
  computed: LogitsMode;
  cacheTokens: number;
  observerMs: number;
}

function toSample(model: LoadedModel, request: DecodeRequest, measured: Measured): Sample {
  const { emitted, arrivals } = measured;
  const decode = (ids: readonly number[]) => model.tokenizer.decode(ids);
  const intervals = arrivals.slice(1).map((arrival, index) => arrival - (arrivals[index] ?? 0));
  return {
    prompt: request.prompt,
    prompt_tokens: measured.promptTokens,
    generated_token_ids: emitted,
    generated_tokens: emitted.length,
    text: decode(emitted),
    use_cache: request.use_cache,
    chunk_size: request.chunk_size,
    stop_reason: measured.stop,
    tokenization_ms: roundTo3(measured.tokenizationMs),
    ttft_ms: roundTo3(arrivals[0] ?? 0),
    tpot_ms: intervals.length > 0 ? roundTo3(mean(intervals)) : null,
    itl_ms: intervals.map(roundTo3),
    e2e_ms: roundTo3(arrivals.at(-1) ?? 0),
    cache_tokens_before_release: measured.cacheTokens,
    max_new_tokens: request.max_new_tokens,
    cancel_after: request.cancel_after,
    logits: measured.computed,
    prefill_ms: measured.prefillMs.map(roundTo3),
    forward_ms: measured.forwardMs.map(roundTo3),
    token_texts: tokenTexts(decode, emitted),
    observer_ms: roundTo3(measured.observerMs),
  };
}
