/**
 * Random numbers that depend on nothing but the seed, the stream and their place in it: a counter put through an
 * integer hash (Chris Wellons' triple32, whose bias is close to that of a random permutation). Streams need no state
 * of each other, so two computations can be given the very same draws.
 */
export type RandomStream = () => number;

/** Numbers in [0, 1). Seed and stream are whole numbers of which the lower 32 bits count. */
export function randomStream(seed: number, stream: number): RandomStream {
  const key = triple32(triple32(seed | 0) ^ Math.imul(stream | 0, 0x9e3779b9));
  let counter = 0;
  return () => {
    counter = (counter + 1) | 0;
    return (triple32(key + Math.imul(counter, 0x9e3779b9)) >>> 0) / 2 ** 32;
  };
}

function triple32(value: number): number {
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> 17), 0xed5ad4bb);
  hash = Math.imul(hash ^ (hash >>> 11), 0xac4c1b51);
  hash = Math.imul(hash ^ (hash >>> 15), 0x31848bab);
  return hash ^ (hash >>> 14);
}
