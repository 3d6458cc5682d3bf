import { z } from 'zod';
import { HOST_METHODS } from './channels.ts';
import type { HostError, HostEvent, Outcome } from './host.ts';

/**
 * What a page and the program that serves it say to each other over one WebSocket. Text frames are the messages below;
 * binary frames are the bytes of the one upload or export that was announced before them.
 */

/** Beside the methods of every host: those that stand in for dialogs and files, which a page does not have. */
export const PAGE_METHODS = [...HOST_METHODS, 'upload', 'exportRecord', 'exportedRecord', 'exportBytes'] as const;
export type PageMethod = (typeof PAGE_METHODS)[number];

export const fromPageSchema = z.discriminatedUnion('type', [
  /** The first message, and the only one without a valid token before it. */
  z.object({ type: z.literal('hello'), token: z.string().max(200) }),
  z.object({
    type: z.literal('request'),
    id: z.int().nonnegative(),
    method: z.enum(PAGE_METHODS),
    params: z.unknown().optional(),
  }),
]);
export type FromPage = z.infer<typeof fromPageSchema>;

const hostErrorSchema: z.ZodType<HostError> = z.object({
  code: z.string(),
  message: z.string(),
  path: z.string().nullable(),
  remedy: z.string().nullable(),
});
const outcomeSchema: z.ZodType<Outcome<unknown>> = z.discriminatedUnion('ok', [
  // JSON leaves out a value that is undefined.
  z.object({ ok: z.literal(true), value: z.unknown().default(undefined) }),
  z.object({ ok: z.literal(false), error: hostErrorSchema }),
]);

const runEndedSchema = z.object({
  type: z.literal('run_ended'),
  id: z.string().nullable(),
  kind: z.enum(['info', 'error']),
  notice: z.string().nullable(),
});
const eventTypes: readonly HostEvent['type'][] = [
  'state',
  'run_started',
  'run_event',
  'run_ended',
  'notice',
  'opened',
  'command',
];

/** The form of an event by its type: its content comes from a program of the same build, which has checked it. */
const hostEventSchema = z.custom<HostEvent>(
  (value) =>
    typeof value === 'object' && value !== null && 'type' in value && eventTypes.some((type) => type === value.type),
);

export const toPageSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('welcome'),
    version: z.string(),
    /** How the last run ended: a page that was away may have missed it. */
    last_run: runEndedSchema.nullable(),
  }),
  z.object({ type: z.literal('response'), id: z.int(), outcome: outcomeSchema }),
  z.object({ type: z.literal('event'), event: hostEventSchema }),
  /** So many bytes of the upload have arrived: the next frame may come. */
  z.object({ type: z.literal('received'), bytes: z.int() }),
]);
export type ToPage = z.infer<typeof toPageSchema>;

/** The path of the WebSocket. */
export const SOCKET_PATH = '/socket';
/** The size of the frames in which bytes are sent, in both directions. */
export const CHUNK_BYTES = 1 << 20;
/** Why a connection was ended, as WebSocket close codes of our own. */
export const CLOSE_CODES = { refused: 4401, ended: 4410, misuse: 4400 } as const;
