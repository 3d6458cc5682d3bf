import { TokenscopeError } from '../../shared/errors.ts';

/** A tensor at the edge of a graph. A dimension is a number, or the name the graph gives it. */
export interface ValueInfo {
  name: string;
  type: string;
  shape: readonly (number | string)[];
}

/** How a graph lets the caller choose the positions whose logits it computes. */
export type LogitsControl =
  /** int64 [1]: first position that reaches the head; -1 is the last one, beyond the end is none. */
  | { kind: 'start'; input: string }
  /** int64 scalar of Hugging Face exports: how many last positions; 0 is all. */
  | { kind: 'keep'; input: string }
  /** Every position, always. */
  | { kind: 'none' };

/** What a decoder graph takes and gives, found from its own inputs and outputs and never from a model's name. */
export interface Signature {
  inputIds: string;
  attentionMask: string | undefined;
  positionIds: string | undefined;
  logits: string;
  logitsControl: LogitsControl;
  /** Paired: the output `present[i]` of one step is the input `past[i]` of the next. */
  past: string[];
  present: string[];
  /** The graph gives something besides logits and cache, which a step then must leave out by naming what it fetches. */
  hasOtherOutputs: boolean;
  cacheType: 'float32' | 'float16';
  layers: number;
  kvHeads: number;
  headDim: number;
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
  const refuse = (message: string) => new TokenscopeError('model', `unknown signature: ${message}`);
  const known = new Set<string>();
  const take = (name: string): string | undefined => {
    if (!inputs.some((input) => input.name === name)) return undefined;
    known.add(name);
    return name;
  };

  const inputIds = take('input_ids');
  if (inputIds === undefined) throw refuse(`the graph has no input "input_ids", only ${listNames(inputs)}`);
  const logits = outputs.find((output) => output.name === 'logits');
  if (logits === undefined) throw refuse(`the graph has no output "logits", only ${listNames(outputs)}`);

  const past: string[] = [];
  const present: string[] = [];
  let cache: ValueInfo | undefined;
  for (const input of inputs) {
    const match = /^past_key_values\.(\d+)\.(key|value)$/.exec(input.name);
    if (match === null) continue;
    const name = `present.${match[1]}.${match[2]}`;
    if (!outputs.some((output) => output.name === name)) throw refuse(`"${input.name}" has no output "${name}"`);
    known.add(input.name);
    past.push(input.name);
    present.push(name);
    cache ??= input;
    if (input.type !== cache.type || input.shape[1] !== cache.shape[1] || input.shape[3] !== cache.shape[3]) {
      throw refuse(`"${input.name}" and "${cache.name}" differ in type, heads or head size`);
    }
  }
  if (cache === undefined) throw refuse(`the graph has no inputs "past_key_values.N.key", only ${listNames(inputs)}`);
  const kvHeads = cache.shape[1];
  const headDim = cache.shape[3];
  if (cache.shape.length !== 4 || typeof kvHeads !== 'number' || typeof headDim !== 'number') {
    throw refuse(
      `"${cache.name}" is [${cache.shape.join(', ')}], expected [batch, heads, past, head size] with fixed heads`,
    );
  }
  if (cache.type !== 'float32' && cache.type !== 'float16') throw refuse(`"${cache.name}" is ${cache.type}`);

  const attentionMask = take('attention_mask');
  const positionIds = take('position_ids');
  const keep = take('num_logits_to_keep');
  const start = logitsStartInput === undefined ? undefined : take(logitsStartInput);
  const unknown = inputs.filter((input) => !known.has(input.name));
  if (unknown.length > 0) throw refuse(`nobody feeds the input ${listNames(unknown)}`);

  const vocabularySize = logits.shape.at(-1);
  return {
    inputIds,
    attentionMask,
    positionIds,
    logits: logits.name,
    logitsControl:
      start !== undefined
        ? { kind: 'start', input: start }
        : keep !== undefined
          ? { kind: 'keep', input: keep }
          : { kind: 'none' },
    past,
    present,
    hasOtherOutputs: outputs.length > present.length + 1,
    cacheType: cache.type,
    layers: new Set(past.map((name) => name.split('.')[1])).size,
    kvHeads,
    headDim,
    vocabularySize: typeof vocabularySize === 'number' ? vocabularySize : undefined,
  };
}

function listNames(values: readonly ValueInfo[]): string {
  return values.map((value) => `"${value.name}"`).join(', ');
}
