/**
 * SHA-256 of the sources that measure (shared/ and main/inference/), set when they are built. Records carry it, so that
 * two of them can be told to come from the same code.
 */
declare const __SOURCE_SHA256__: string;
export const SOURCE_SHA256 = __SOURCE_SHA256__;
