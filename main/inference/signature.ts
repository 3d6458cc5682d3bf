import { type CachePair, pairCaches } from './cache-pairs.ts';
import { listNames, unknown, type ValueInfo } from './value-info.ts';

/** How a graph lets the caller choose the positions whose logits it computes. */
export type LogitsControl =
  /** int64 [1]: first position that reaches the head; -1 is the last one, beyond the end is none. */
  | { kind: 'start'; input: string }
  /** int64 of Hugging Face exports, a scalar or [1]: how many last positions; 0 is all. */
  | { kind: 'keep'; input: string; dims: readonly number[] }
  /** Every position, always. */
  | { kind: 'none' }
  /** The last position, always: the export has cut its head itself. */
  | { kind: 'last' };

/** What a decoder graph takes and gives, found from its own inputs and outputs and never from a model's name. */
export interface Signature {
  inputIds: string;
  attentionMask: string | undefined;
  positionIds: string | undefined;
  logits: string;
  logitsType: 'float32' | 'float16';
  logitsControl: LogitsControl;
  /** One for each layer's keys and one for its values. Layers may differ in heads, head size and type. */
  cache: readonly CachePair[];
  /** The names of `cache`: the output `present[i]` of one step is the input `past[i]` of the next. */
  past: string[];
  present: string[];
  /** The graph gives something besides logits and cache, which a step then must leave out by naming what it fetches. */
  hasOtherOutputs: boolean;
  layers: number;
  vocabularySize: number | undefined;
}

/**
 * Reads the signature of a decoder in the Hugging Face ONNX layout. Throws a `model` error that names what is missing or
 * unknown: an input that nobody feeds cannot be run, and a guess would measure something else.
 */
export function discoverSignature(
  inputs: readonly ValueInfo[],
  outputs: readonly ValueInfo[],
  logitsStartInput: string | undefined,
): Signature {
  const known = new Set<string>();
  const take = (name: string, ranks: readonly number[]): ValueInfo | undefined => {
    const input = inputs.find((each) => each.name === name);
    if (input === undefined) return undefined;
    known.add(name);
    if (input.type !== 'int64') throw unknown(`the input "${name}" is ${input.type}, int64 is what is fed`);
    if (input.shape !== null && !ranks.includes(input.shape.length)) {
      throw unknown(`the input "${name}" has ${input.shape.length} dimensions, ${ranks.join(' or ')} are fed`);
    }
    return input;
  };

  const inputIds = take('input_ids', [2]);
  if (inputIds === undefined) throw unknown(`the graph has no input "input_ids", only ${listNames(inputs)}`);
  const logits = outputs.find((output) => output.name === 'logits');
  if (logits === undefined) throw unknown(`the graph has no output "logits", only ${listNames(outputs)}`);
  if (logits.type !== 'float32' && logits.type !== 'float16') {
    throw unknown(`the output "logits" is ${logits.type}, float32 and float16 can be read`);
  }
  if (logits.shape !== null && logits.shape.length !== 3) {
    throw unknown(`the output "logits" is [${logits.shape.join(', ')}], expected [batch, positions, vocabulary]`);
  }

  const cache = pairCaches(inputs, outputs);
  for (const { past } of cache) known.add(past);
  const attentionMask = take('attention_mask', [2]);
  const positionIds = take('position_ids', [2]);
  const keep = take('num_logits_to_keep', [0, 1]);
  const start = logitsStartInput === undefined ? undefined : take(logitsStartInput, [1]);
  const strangers = inputs.filter((input) => !known.has(input.name));
  if (strangers.length > 0) throw unknown(`nobody feeds the input ${listNames(strangers)}`);

  const vocabularySize = logits.shape?.at(-1);
  return {
    inputIds: inputIds.name,
    attentionMask: attentionMask?.name,
    positionIds: positionIds?.name,
    logits: logits.name,
    logitsType: logits.type,
    logitsControl: controlOf(start, keep, logits),
    cache,
    past: cache.map(({ past }) => past),
    present: cache.map(({ present }) => present),
    hasOtherOutputs: outputs.length > cache.length + 1,
    layers: new Set(cache.map(({ layer }) => layer)).size,
    vocabularySize: typeof vocabularySize === 'number' ? vocabularySize : undefined,
  };
}

function controlOf(start: ValueInfo | undefined, keep: ValueInfo | undefined, logits: ValueInfo): LogitsControl {
  if (start !== undefined) return { kind: 'start', input: start.name };
  if (keep !== undefined) return { kind: 'keep', input: keep.name, dims: keep.shape?.length === 1 ? [1] : [] };
  return logits.shape?.[1] === 1 ? { kind: 'last' } : { kind: 'none' };
}
