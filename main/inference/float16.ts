import type { Tensor } from './session.ts';

/**
 * Half-precision numbers as the runtime wants them: as bits in a Uint16Array. Where JavaScript has a Float16Array (Node 24,
 * Electron 45), onnxruntime-common turns the bits into one, which onnxruntime-node 1.30 then takes for a tensor without
 * data ("not enough space: expected 8, got 0"). So the bits are put back, in tensors made here and in those it gives.
 */

/** Makes a float16 tensor one that can be fed; any other is left as it is. Nothing is copied. */
export function asBits(tensor: Tensor): void {
  if (tensor.type !== 'float16') return;
  const data: unknown = tensor.data;
  if (data instanceof Uint16Array || !ArrayBuffer.isView(data)) return;
  Object.assign(tensor, { cpuData: new Uint16Array(data.buffer, data.byteOffset, data.byteLength / 2) });
}

let table: Float32Array | undefined;

/** The numbers that half-precision bits stand for: exact, since every float16 is a float32. */
export function floatsOf(bits: Uint16Array): Float32Array {
  table ??= Float32Array.from({ length: 65_536 }, (_, pattern) => floatOf(pattern));
  const floats = new Float32Array(bits.length);
  for (let index = 0; index < bits.length; index++) floats[index] = table[bits[index] ?? 0] ?? 0;
  return floats;
}

/** IEEE 754 binary16: a sign, five bits of exponent with the bias 15, ten of fraction. */
function floatOf(pattern: number): number {
  const sign = pattern >= 0x8000 ? -1 : 1;
  const exponent = (pattern >> 10) & 0x1f;
  const fraction = pattern & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
