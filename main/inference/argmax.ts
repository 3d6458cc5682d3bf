/**
 * Index of the largest of `length` values from `from` on; of equals, the first. This is greedy decoding: no sampling,
 * and never the model's own repetition penalty. NaN is never the largest; if nothing else is there, the answer is 0.
 */
export function argmax(values: Float32Array, from: number, length: number): number {
  const end = from + length;
  let best = from;
  let largest = Number.NEGATIVE_INFINITY;
  for (let index = from; index < end; index++) {
    const value = values[index] ?? 0;
    if (value > largest) {
      largest = value;
      best = index;
    }
  }
  return best - from;
}
