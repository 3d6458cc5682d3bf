import type { FileHandle } from 'node:fs/promises';
import { fillWeight, sizeOf } from './decoder-weights.ts';
import type { WeightSpec } from './decoder-weights.ts';
import { SeededRandom } from './seeded-random.ts';

/** The largest unit in which the systems we run on map files (Windows). */
const ALIGNMENT = 64 * 1024;
/** Smaller weights lie in the graph itself, where they need no alignment. */
const EXTERNAL_FROM_BYTES = ALIGNMENT;
const FLOAT_BYTES = 4;
/** 8 MiB at a time: large enough for a disk, small enough for memory and for a prompt cancel. */
const BLOCK_FLOATS = 2 * 1024 * 1024;

export interface PlacedWeight {
  readonly weight: WeightSpec;
  readonly offset: number;
  readonly length: number;
}

export interface WeightLayout {
  /** Weights in the external file, by ascending offset. */
  readonly external: readonly PlacedWeight[];
  /** Weights inside the graph. */
  readonly inline: readonly WeightSpec[];
  /** Size of the external file; 0 if there is none. */
  readonly bytes: number;
}

export function layOut(weights: readonly WeightSpec[]): WeightLayout {
  const external: PlacedWeight[] = [];
  const inline: WeightSpec[] = [];
  let end = 0;
  for (const weight of weights) {
    const length = sizeOf(weight) * FLOAT_BYTES;
    if (length < EXTERNAL_FROM_BYTES) {
      inline.push(weight);
    } else {
      const offset = Math.ceil(end / ALIGNMENT) * ALIGNMENT;
      external.push({ weight, offset, length });
      end = offset + length;
    }
  }
  return { external, inline, bytes: end };
}

/** The random values of one weight: the same for a seed and a name, wherever the weight lies. */
export function weightValues(weight: WeightSpec, seed: number): Float32Array<ArrayBuffer> {
  const values = new Float32Array(sizeOf(weight));
  fillWeight(values, weight.values, new SeededRandom(seed, weight.name));
  return values;
}

/**
 * Writes the external file block by block. `onBytes` is told the bytes written so far; once `signal` is aborted the next
 * block is not begun, and the answer is false.
 */
export async function writeWeights(
  file: FileHandle,
  layout: WeightLayout,
  seed: number,
  signal: AbortSignal | undefined,
  onBytes: (bytes: number) => void,
): Promise<boolean> {
  // One block is filled while the other is being written.
  const blocks = [new Float32Array(BLOCK_FLOATS), new Float32Array(BLOCK_FLOATS)] as const;
  let writing: Promise<void> = Promise.resolve();
  let turn = 0;
  for (const { weight, offset, length } of layout.external) {
    const random = new SeededRandom(seed, weight.name);
    for (let done = 0; done < length; done += BLOCK_FLOATS * FLOAT_BYTES) {
      const bytes = Math.min(length - done, BLOCK_FLOATS * FLOAT_BYTES);
      const block = (turn % 2 === 0 ? blocks[0] : blocks[1]).subarray(0, bytes / FLOAT_BYTES);
      turn += 1;
      fillWeight(block, weight.values, random);
      await writing;
      if (signal?.aborted === true) return false;
      onBytes(offset + done);
      writing = writeFully(file, new Uint8Array(block.buffer, 0, bytes), offset + done);
      // Its failure is reported by the await above or below; until then it must not count as unhandled.
      writing.catch(() => undefined);
    }
  }
  await writing;
  onBytes(layout.bytes);
  return true;
}

async function writeFully(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
