import { TensorProto_DataType as DataType } from 'onnx-buf';

/** ONNX element types: the name we print (onnxruntime's, where it has one) and the width of one element in bits. */
const DTYPES: ReadonlyMap<number, { readonly name: string; readonly bits: number | null }> = new Map([
  [DataType.FLOAT, { name: 'float32', bits: 32 }],
  [DataType.UINT8, { name: 'uint8', bits: 8 }],
  [DataType.INT8, { name: 'int8', bits: 8 }],
  [DataType.UINT16, { name: 'uint16', bits: 16 }],
  [DataType.INT16, { name: 'int16', bits: 16 }],
  [DataType.INT32, { name: 'int32', bits: 32 }],
  [DataType.INT64, { name: 'int64', bits: 64 }],
  [DataType.BOOL, { name: 'bool', bits: 8 }],
  [DataType.FLOAT16, { name: 'float16', bits: 16 }],
  [DataType.DOUBLE, { name: 'float64', bits: 64 }],
  [DataType.UINT32, { name: 'uint32', bits: 32 }],
  [DataType.UINT64, { name: 'uint64', bits: 64 }],
  [DataType.COMPLEX64, { name: 'complex64', bits: 64 }],
  [DataType.COMPLEX128, { name: 'complex128', bits: 128 }],
  [DataType.BFLOAT16, { name: 'bfloat16', bits: 16 }],
  [DataType.FLOAT8E4M3FN, { name: 'float8e4m3fn', bits: 8 }],
  [DataType.FLOAT8E4M3FNUZ, { name: 'float8e4m3fnuz', bits: 8 }],
  [DataType.FLOAT8E5M2, { name: 'float8e5m2', bits: 8 }],
  [DataType.FLOAT8E5M2FNUZ, { name: 'float8e5m2fnuz', bits: 8 }],
  [DataType.FLOAT8E8M0, { name: 'float8e8m0', bits: 8 }],
  [DataType.UINT4, { name: 'uint4', bits: 4 }],
  [DataType.INT4, { name: 'int4', bits: 4 }],
  [DataType.FLOAT4E2M1, { name: 'float4e2m1', bits: 4 }],
  [DataType.UINT2, { name: 'uint2', bits: 2 }],
  [DataType.INT2, { name: 'int2', bits: 2 }],
  [DataType.STRING, { name: 'string', bits: null }],
]);

export function dtypeName(dataType: number): string {
  return DTYPES.get(dataType)?.name ?? `type ${dataType}`;
}

/** Number of elements of a tensor. Bigint, because a hostile file can name dimensions whose product is anything. */
export function elementCount(dims: readonly bigint[]): bigint {
  return dims.reduce((product, dim) => product * dim, 1n);
}

/** Bytes of a tensor's data as ONNX packs it, or null for strings and types we do not know. */
export function byteLength(dataType: number, dims: readonly bigint[]): bigint | null {
  const bits = DTYPES.get(dataType)?.bits;
  return bits === undefined || bits === null ? null : (elementCount(dims) * BigInt(bits) + 7n) / 8n;
}

/** Types that hold shapes, indices and switches, not weights. */
const INDEX_TYPES: ReadonlySet<number> = new Set([
  DataType.INT64,
  DataType.INT32,
  DataType.UINT32,
  DataType.UINT64,
  DataType.BOOL,
  DataType.STRING,
]);
const FLOAT_TYPES: ReadonlySet<number> = new Set([
  DataType.FLOAT,
  DataType.FLOAT16,
  DataType.BFLOAT16,
  DataType.DOUBLE,
]);

export function isIndexType(dataType: number): boolean {
  return INDEX_TYPES.has(dataType);
}

export function isFloatType(dataType: number): boolean {
  return FLOAT_TYPES.has(dataType);
}
