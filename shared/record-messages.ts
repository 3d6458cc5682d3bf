import { z } from 'zod';
import { exportRequestSchema } from './export-formats.ts';
import { errorSchema } from './messages.ts';

/**
 * What the main process and the one that reads large records say to each other. Texts of hundreds of megabytes cross in
 * pieces, so that the main process never has to wait for more than one of them to be copied.
 */
export const PIECE_BYTES = 4 << 20;

/** The piece that begins at `at`, as a copy: to clone a part of a memory is to clone all of it. (Slices of a Buffer are none.) */
export function pieceOf(text: Uint8Array, at: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(text.subarray(at, at + PIECE_BYTES));
}

const bytes = z.instanceof(Uint8Array);

export const toReaderSchema = z.discriminatedUnion('type', [
  /** The first message: what is to be done with the text, whose bytes follow. */
  z.object({ type: z.literal('check'), bytes: z.int().nonnegative() }),
  z.object({ type: z.literal('export'), bytes: z.int().nonnegative(), request: exportRequestSchema }),
  z.object({ type: z.literal('piece'), bytes }),
]);
export type ToReader = z.infer<typeof toReaderSchema>;

const problemSchema = z.object({ path: z.string(), reason: z.string(), figures: z.string().exactOptional() });

/** What is said of a record beside its text. */
export const verdictSchema = z.object({
  valid: z.boolean(),
  problems: z.array(problemSchema),
  created_at: z.string().exactOptional(),
});
export type Verdict = z.infer<typeof verdictSchema>;

export const fromReaderSchema = z.discriminatedUnion('type', [
  /** The next piece may come. */
  z.object({ type: z.literal('taken') }),
  /** `follows`: so many bytes of another text come after it; null when what was sent is the text of what is shown. */
  z.object({ type: z.literal('checked'), verdict: verdictSchema, follows: z.int().nullable() }),
  z.object({ type: z.literal('exported'), follows: z.int() }),
  z.object({ type: z.literal('piece'), bytes }),
  z.object({ type: z.literal('failed'), error: errorSchema }),
]);
export type FromReader = z.infer<typeof fromReaderSchema>;
