import { listNames, unknown, type ValueInfo } from './value-info.ts';

/** One tensor of the KV cache: [batch, heads, tokens, size]. What `present` gives is fed as `past`. */
export interface CachePair {
  readonly layer: number;
  readonly past: string;
  readonly present: string;
  readonly type: 'float32' | 'float16';
  readonly heads: number;
  /** Of a head. */
  readonly size: number;
}

const PAST = /^past_key_values\.(\d+)\.(key|value)$/;
/** Any state of a layer. Some keep something else than keys and values: convolutions, state spaces, linear attention. */
const STATE = /^(past|cache)_\w+\.\d+/;

/** The caches of a graph by their names and dimensions. Throws a `model` error for a cache that cannot be carried. */
export function pairCaches(inputs: readonly ValueInfo[], outputs: readonly ValueInfo[]): CachePair[] {
  const others = inputs.filter(({ name }) => STATE.test(name) && !PAST.test(name));
  if (others.length > 0) {
    throw unknown(`its layers keep ${listNames(others)}, only caches of keys and values are run`);
  }
  const pairs = inputs.flatMap((input) => {
    const match = PAST.exec(input.name);
    return match === null ? [] : [pair(input, Number(match[1]), `present.${match[1]}.${match[2]}`, outputs)];
  });
  if (pairs.length === 0) {
    throw unknown(`the graph has no inputs "past_key_values.N.key", only ${listNames(inputs)}`);
  }
  return pairs;
}

function pair(input: ValueInfo, layer: number, present: string, outputs: readonly ValueInfo[]): CachePair {
  const { name: past, type, shape } = input;
  const output = outputs.find(({ name }) => name === present);
  if (output === undefined) throw unknown(`"${past}" has no output "${present}"`);
  const [, heads, , size] = shape ?? [];
  if (shape?.length !== 4 || typeof heads !== 'number' || typeof size !== 'number') {
    const found = shape === null ? 'of unknown dimensions' : `[${shape.join(', ')}]`;
    throw unknown(`"${past}" is ${found}, expected [batch, heads, past, head size] with fixed heads`);
  }
  if (type !== 'float32' && type !== 'float16') {
    throw unknown(`"${past}" is ${type}, caches of float32 and float16 are run`);
  }
  if (output.type !== type) throw unknown(`"${past}" is ${type}, but "${present}" is ${output.type}`);
  return { layer, past, present, type, heads, size };
}
