/**
 * Values as text, for the way between a page and the main process. Carries what the structured clone algorithm does, as
 * far as our messages need it, and refuses the rest with Electron's own words.
 */
type Wire =
  | null
  | boolean
  | number
  | string
  | readonly ['undefined']
  | readonly ['number' | 'bigint', string]
  | readonly ['date', number]
  | readonly ['bytes', string]
  | readonly ['error', string, string]
  | readonly ['array' | 'set', readonly Wire[]]
  | readonly ['object', readonly (readonly [string, Wire])[]]
  | readonly ['map', readonly (readonly [Wire, Wire])[]];

export function encode(value: unknown): string {
  return JSON.stringify(toWire(value, []));
}

export function decode(text: string): unknown {
  return fromWire(JSON.parse(text) as Wire);
}

function toWire(value: unknown, above: readonly object[]): Wire {
  switch (typeof value) {
    case 'undefined':
      return ['undefined'];
    case 'boolean':
    case 'string':
      return value;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : ['number', Object.is(value, -0) ? '-0' : `${value}`];
    case 'bigint':
      return ['bigint', value.toString()];
    case 'object':
      return value === null ? null : objectToWire(value, above);
    case 'function':
    case 'symbol':
      throw new Error('An object could not be cloned.');
  }
}

function objectToWire(value: object, above: readonly object[]): Wire {
  if (above.includes(value)) throw new Error('the stand-in carries no object that contains itself');
  const inside = [...above, value];
  if (Array.isArray(value)) return ['array', Array.from(value, (entry: unknown) => toWire(entry, inside))];
  if (value instanceof Date) return ['date', value.getTime()];
  if (value instanceof Uint8Array) return ['bytes', toBase64(value)];
  if (value instanceof Error) return ['error', value.name, value.message];
  if (value instanceof Map)
    return ['map', [...value].map(([key, entry]) => [toWire(key, inside), toWire(entry, inside)])];
  if (value instanceof Set) return ['set', [...value].map((entry) => toWire(entry, inside))];
  if (Object.prototype.toString.call(value) !== '[object Object]') throw new Error('An object could not be cloned.');
  return ['object', Object.entries(value).map(([key, entry]) => [key, toWire(entry, inside)])];
}

function fromWire(wire: Wire): unknown {
  if (!Array.isArray(wire)) return wire;
  const tagged = wire as Exclude<Wire, null | boolean | number | string>;
  switch (tagged[0]) {
    case 'undefined':
      return undefined;
    case 'number':
      return Number(tagged[1]);
    case 'bigint':
      return BigInt(tagged[1]);
    case 'date':
      return new Date(tagged[1]);
    case 'bytes':
      return fromBase64(tagged[1]);
    case 'error':
      return Object.assign(new Error(tagged[2]), { name: tagged[1] });
    case 'array':
      return tagged[1].map(fromWire);
    case 'set':
      return new Set(tagged[1].map(fromWire));
    case 'map':
      return new Map(tagged[1].map(([key, entry]) => [fromWire(key), fromWire(entry)]));
    case 'object':
      return Object.fromEntries(tagged[1].map(([key, entry]) => [key, fromWire(entry)]));
  }
}

/** By pieces: a function takes only so many arguments. */
const PIECE = 0x8000;

function toBase64(bytes: Uint8Array): string {
  // A page has no Buffer; here it is a hundred times as fast, and a large record is handed over as its bytes.
  if ('Buffer' in globalThis) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
  let text = '';
  for (let at = 0; at < bytes.length; at += PIECE) text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return btoa(text);
}

function fromBase64(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}
