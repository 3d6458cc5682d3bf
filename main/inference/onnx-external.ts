import { statSync } from 'node:fs';
import { join } from 'node:path';
import { TensorProto_DataLocation as DataLocation } from 'onnx-buf';
import type { TensorProto } from 'onnx-buf';
import { TokenscopeError } from '../../shared/errors.ts';
import { byteLength } from './onnx-dtypes.ts';

/** A file beside the .onnx file that holds weights: path inside the folder, with forward slashes. */
export interface ExternalFile {
  readonly path: string;
  readonly bytes: number;
}

/** The bytes of one tensor inside a file of the model's folder. */
export interface ExternalRange {
  readonly location: string;
  readonly offset: bigint;
  /** Null: to the end of the file. */
  readonly length: bigint | null;
}

/** Where a tensor's data lies, or null if the tensor carries it. */
export function externalRange(tensor: TensorProto): ExternalRange | null {
  if (tensor.dataLocation !== DataLocation.EXTERNAL) return null;
  const entries = new Map(tensor.externalData.map((entry) => [entry.key, entry.value]));
  return {
    location: entries.get('location') ?? '',
    offset: wholeNumber(entries.get('offset')) ?? 0n,
    length: wholeNumber(entries.get('length')),
  };
}

/**
 * Checks that every external reference names bytes which exist in a file inside `directory`, and returns the files.
 * `graph` is the .onnx file, named in the `model` errors.
 */
export function checkExternalData(tensors: readonly TensorProto[], directory: string, graph: string): ExternalFile[] {
  const sizes = new Map<string, number>();
  for (const tensor of tensors) {
    const range = externalRange(tensor);
    if (range === null) continue;
    const refuse = (reason: string, remedy?: string) =>
      new TokenscopeError('model', `weight ${tensor.name}: ${reason}`, {
        path: graph,
        ...(remedy === undefined ? {} : { remedy }),
      });
    for (const { key, value } of tensor.externalData) {
      if ((key === 'offset' || key === 'length') && wholeNumber(value) === null) {
        throw refuse(
          `its external data has the ${key} ${JSON.stringify(value.slice(0, 40))}, which is not a byte count`,
        );
      }
    }
    if (!isInsideFolder(range.location)) {
      throw refuse(
        `its external data lies in ${JSON.stringify(range.location.slice(0, 200))}, outside of the model's folder`,
      );
    }
    const size = sizes.get(range.location) ?? fileSize(join(directory, range.location));
    if (size === null) throw refuse(`its data file ${range.location} is missing`, 'put it beside the .onnx file');
    sizes.set(range.location, size);
    const needed = byteLength(tensor.dataType, tensor.dims);
    const length = range.length ?? needed ?? 0n;
    if (needed !== null && length !== needed) {
      throw refuse(`its dimensions need ${needed} bytes, its external data has ${length}`);
    }
    if (range.offset + length > BigInt(size)) {
      throw refuse(
        `its data is ${length} bytes at offset ${range.offset} of ${range.location}, which has ${size} bytes`,
        'the data file may be cut off; fetch it again',
      );
    }
  }
  return [...sizes].map(([path, bytes]) => ({ path, bytes }));
}

function wholeNumber(text: string | undefined): bigint | null {
  return text !== undefined && /^\d{1,18}$/.test(text) ? BigInt(text) : null;
}

function isInsideFolder(location: string): boolean {
  if (location === '' || location.includes('\0') || location.includes('\\') || /^[a-z]:/i.test(location)) return false;
  return !location.startsWith('/') && !location.split('/').includes('..');
}

function fileSize(path: string): number | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true ? stat.size : null;
}
