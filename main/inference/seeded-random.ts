/**
 * Random numbers from a seed, the same on every machine: sfc32 (Chris Doty-Humphrey's PractRand), which passes
 * PractRand and needs a few integer operations a number.
 */
export class SeededRandom {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /** `stream` tells apart sequences of one seed: a tensor's name makes its weights independent of their order. */
  constructor(seed: number, stream: string) {
    this.#a = Math.trunc(seed) | 0;
    this.#b = Math.floor(seed / 2 ** 32) | 0;
    this.#c = fnv1a(stream);
    // The state needs some rounds to mix.
    for (let round = 0; round < 15; round += 1) this.#next();
  }

  /** A number in [0, 1). */
  unit(): number {
    return (this.#next() >>> 0) / 2 ** 32;
  }

  /** An integer in [0, bound). */
  below(bound: number): number {
    return Math.floor(this.unit() * bound);
  }

  /** Fills with numbers spread evenly over [center - halfWidth, center + halfWidth). */
  fill(target: Float32Array, center: number, halfWidth: number): void {
    let a = this.#a;
    let b = this.#b;
    let c = this.#c;
    let counter = this.#counter;
    const scale = halfWidth / 2 ** 31;
    for (let index = 0; index < target.length; index += 1) {
      const sum = (a + b + counter) | 0;
      counter = (counter + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (((c << 21) | (c >>> 11)) + sum) | 0;
      target[index] = center + sum * scale;
    }
    this.#a = a;
    this.#b = b;
    this.#c = c;
    this.#counter = counter;
  }

  #next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum;
  }
}

/** FNV-1a of a text's UTF-16 code units. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash | 0;
}
