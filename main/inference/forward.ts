import { TokenscopeError } from '../../shared/errors.ts';
import type { LogitsMode } from '../../shared/record.ts';
import { asBits, floatsOf } from './float16.ts';
import { type DecoderSession, type Feeds, Tensor } from './session.ts';

/** Past the end of any sequence: no position reaches the head. */
const NO_POSITION = 2n ** 63n - 1n;

/** The logits of one forward pass: batch x positions x vocabulary, row-major; with `last` there is one position. */
export interface Logits {
  /** Numbers, or the bits of half-precision ones: only the rows that are read are worth converting. */
  data: Float32Array | Uint16Array;
  /** Positions with logits, per batch entry. */
  positions: number;
  vocabulary: number;
}

/**
 * The forward passes of one request: it owns the KV cache and the buffers that are reused from step to step.
 * The runtime reads inputs in place and copies every output, so a step feeds `present` back as `past` unchanged,
 * overwrites its one-token buffers and fetches only what is needed.
 */
export interface ForwardContext {
  /** Tokens in the cache. */
  readonly length: number;
  /**
   * Evaluates `ids` behind what is cached and keeps the cache.
   * `want`: logits of the last position, of all, or none (a chunk of the prompt that is not the last).
   */
  extend(ids: BigInt64Array, want: LogitsMode | 'none'): Promise<Logits | undefined>;
  /** Evaluates `ids` from the start, with no cache before or after. */
  evaluate(ids: BigInt64Array, want: LogitsMode): Promise<Logits>;
  /** Drops the cache. */
  release(): void;
}

/** Ones for attention masks and 0, 1, 2, ... for positions: constant, so every request shares them. */
export class Constants {
  #ones = new BigInt64Array(0);
  #positions = new BigInt64Array(0);

  ones(length: number): BigInt64Array {
    if (length > this.#ones.length) this.#ones = new BigInt64Array(roundUp(length)).fill(1n);
    return this.#ones.subarray(0, length);
  }

  positions(from: number, length: number): BigInt64Array {
    const end = from + length;
    if (end > this.#positions.length) {
      this.#positions = BigInt64Array.from({ length: roundUp(end) }, (_, index) => BigInt(index));
    }
    return this.#positions.subarray(from, end);
  }
}

function roundUp(length: number): number {
  return Math.ceil(length / 1024) * 1024;
}

export function createForward(session: DecoderSession, constants: Constants): ForwardContext {
  const { signature } = session;
  const { past, present, logitsControl } = signature;
  const selectors = logitsSelectors(session);
  const feeds: Feeds = {};
  const oneId = new BigInt64Array(1);
  const onePosition = new BigInt64Array(1);
  const oneIdTensor = new Tensor('int64', oneId, [1, 1]);
  const onePositionTensor = new Tensor('int64', onePosition, [1, 1]);
  // No names means every output: the runtime then has no list to check.
  const everything = signature.hasOtherOutputs ? [signature.logits, ...present] : undefined;
  const onlyLogits = [signature.logits];
  let length = 0;

  const clear = () => {
    Object.assign(feeds, emptyCaches(session, 1));
    length = 0;
  };
  clear();

  const place = (ids: BigInt64Array, from: number, want: LogitsMode | 'none') => {
    const count = ids.length;
    if (count === 1) {
      oneId[0] = ids[0] ?? 0n;
      feeds[signature.inputIds] = oneIdTensor;
    } else {
      feeds[signature.inputIds] = new Tensor('int64', ids, [1, count]);
    }
    if (signature.attentionMask !== undefined) {
      feeds[signature.attentionMask] = new Tensor('int64', constants.ones(from + count), [1, from + count]);
    }
    if (signature.positionIds !== undefined) {
      if (count === 1) {
        onePosition[0] = BigInt(from);
        feeds[signature.positionIds] = onePositionTensor;
      } else {
        feeds[signature.positionIds] = new Tensor('int64', constants.positions(from, count), [1, count]);
      }
    }
    if ('input' in logitsControl) feeds[logitsControl.input] = selectors[want];
  };

  return {
    get length() {
      return length;
    },
    async extend(ids, want) {
      place(ids, length, want);
      const results = await session.run(feeds, want === 'none' ? present : everything);
      for (let index = 0; index < past.length; index++) {
        feeds[past[index] ?? ''] = output(results, present[index] ?? '');
      }
      length += ids.length;
      return want === 'none' ? undefined : readLogits(output(results, signature.logits));
    },
    async evaluate(ids, want) {
      place(ids, 0, want);
      const results = await session.run(feeds, onlyLogits);
      return readLogits(output(results, signature.logits));
    },
    release: clear,
  };
}

/** The value of the logits input for each wish, as the graph's own control understands it. */
export function logitsSelectors(session: DecoderSession): Record<LogitsMode | 'none', Tensor> {
  const { logitsControl } = session.signature;
  const dims = logitsControl.kind === 'keep' ? logitsControl.dims : [1];
  const selector = (value: bigint) => new Tensor('int64', BigInt64Array.of(value), dims);
  // `num_logits_to_keep` has no way to say none: one position is the least.
  if (logitsControl.kind === 'keep') return { last: selector(1n), all: selector(0n), none: selector(1n) };
  return { last: selector(-1n), all: selector(0n), none: selector(NO_POSITION) };
}

/** Caches of no tokens for `rows` rows, [rows, heads, 0, head size], by the names of the inputs. */
export function emptyCaches(session: DecoderSession, rows: number): Feeds {
  const feeds: Feeds = {};
  const alike = new Map<string, Tensor>();
  for (const { past, type, heads, size } of session.signature.cache) {
    const key = `${type} ${heads} ${size}`;
    const empty = alike.get(key) ?? emptyTensor(type, [rows, heads, 0, size]);
    alike.set(key, empty);
    feeds[past] = empty;
  }
  return feeds;
}

function emptyTensor(type: 'float32' | 'float16', dims: readonly number[]): Tensor {
  if (type === 'float32') return new Tensor('float32', new Float32Array(0), dims);
  const tensor = new Tensor('float16', new Uint16Array(0), dims);
  asBits(tensor);
  return tensor;
}

export function output(results: Feeds, name: string): Tensor {
  const tensor = results[name];
  if (tensor === undefined) throw new TokenscopeError('model', `the graph gave no output "${name}"`);
  return tensor;
}

export function readLogits(tensor: Tensor): Logits {
  const [, positions, vocabulary] = tensor.dims;
  const { data } = tensor;
  const isRead = data instanceof Float32Array || (tensor.type === 'float16' && data instanceof Uint16Array);
  if (!isRead || positions === undefined || vocabulary === undefined) {
    throw new TokenscopeError(
      'model',
      `logits are ${tensor.type} [${tensor.dims.join(', ')}], expected float32 or float16 [batch, positions, vocabulary]`,
    );
  }
  return { data, positions, vocabulary };
}

/** The logits that choose the next token of a batch entry: those of its last position, as numbers. */
export function lastLogits({ data, positions, vocabulary }: Logits, entry = 0): Float32Array {
  const from = (entry * positions + positions - 1) * vocabulary;
  const row = data.subarray(from, from + vocabulary);
  return row instanceof Float32Array ? row : floatsOf(row);
}
