import { z } from 'zod';
import type { HostMethod } from '../shared/channels.ts';
import { exportRequestSchema, pictureRequestSchema } from '../shared/export-formats.ts';
import { modelDownloadSchema, type Outcome, runRequestSchema, settingsSchema } from '../shared/host.ts';
import { parseMessage } from '../shared/messages.ts';
import { hostError } from './outcome.ts';
import type { FolderOrigin, Profiler, RecordOrigin } from './profiler-contract.ts';
import { MAX_RECORD_BYTES } from './record-files.ts';

/** Checks what a window sent and does it. Throws a `message` error for what does not fit. */
export type Method = (profiler: Profiler, params: unknown) => Promise<Outcome<unknown>>;
export type MethodTable = Readonly<Record<HostMethod, Method>>;

export function method<T>(
  schema: z.ZodType<T>,
  call: (profiler: Profiler, params: T) => Promise<Outcome<unknown>>,
): Method {
  return (profiler, params) => call(profiler, parseMessage(schema, params, 'the window'));
}

/** Ids are ours and short, whatever arrives in their place. */
export const idSchema = z.string().max(200);
const nothing = z.undefined();
const fine = (value: unknown): Promise<Outcome<unknown>> => Promise.resolve({ ok: true, value });

/** Asks for what every host answers in the same way. */
export const COMMON_METHODS = {
  getState: method(nothing, (profiler) => fine(profiler.getState())),
  readRecord: method(idSchema, (profiler, id) => profiler.readRecord(id)),
  closeRecord: method(idSchema, (profiler, id) => profiler.closeRecord(id)),
  startRun: method(runRequestSchema, (profiler, request) => profiler.startRun(request)),
  cancelRun: method(nothing, (profiler) => profiler.cancelRun()),
  attachRun: method(nothing, (profiler) => fine(profiler.attachRun())),
  removeModel: method(idSchema, (profiler, id) => profiler.removeModel(id)),
  synthesizeModel: method(idSchema, (profiler, preset) => profiler.synthesizeModel(preset)),
  cancelSynthesis: method(nothing, (profiler) => profiler.cancelSynthesis()),
  downloadModel: method(modelDownloadSchema, (profiler, request) => profiler.downloadModel(request)),
  cancelDownload: method(nothing, (profiler) => profiler.cancelDownload()),
  verifyModel: method(idSchema, (profiler, id) => profiler.verifyModel(id)),
  updateSettings: method(settingsSchema.partial().strict(), (profiler, { theme, reopen_tabs }) =>
    profiler.updateSettings({
      ...(theme === undefined ? {} : { theme }),
      ...(reopen_tabs === undefined ? {} : { reopen_tabs }),
    }),
  ),
} satisfies Partial<MethodTable>;

export const saveRequestSchema = z.strictObject({ id: idSchema, as: z.boolean() });
/** Origins that any host may name. */
export const plainOrigins = [
  z.strictObject({ by: z.literal('dialog') }),
  z.strictObject({ by: z.literal('recent'), id: idSchema }),
  z.strictObject({ by: z.literal('sample') }),
] as const;

/** A path that the preload script took from a file which a person dropped. */
const droppedPath = z.strictObject({ by: z.literal('path'), path: z.string().min(1).max(32_768) });
const electronOrigin: z.ZodType<RecordOrigin> = z.discriminatedUnion('by', [
  ...plainOrigins,
  droppedPath,
  z.strictObject({
    by: z.literal('bytes'),
    name: z.string().max(1000),
    bytes: z.instanceof(Uint8Array).refine((bytes) => bytes.length <= MAX_RECORD_BYTES, { error: 'is too large' }),
  }),
]);
const electronFolder: z.ZodType<FolderOrigin> = z.discriminatedUnion('by', [
  z.strictObject({ by: z.literal('dialog') }),
  droppedPath,
]);

/** The methods as Electron's window has them. */
export const ELECTRON_METHODS: MethodTable = {
  ...COMMON_METHODS,
  openRecord: method(electronOrigin, (profiler, origin) => profiler.openRecord(origin)),
  saveRecord: method(saveRequestSchema, (profiler, request) => profiler.saveRecord(request)),
  exportFile: method(exportRequestSchema, (profiler, request) => profiler.exportFile(request)),
  copyPicture: method(pictureRequestSchema, (profiler, request) => profiler.copyPicture(request)),
  addModel: method(electronFolder, (profiler, origin) => profiler.addModel(origin)),
};

/** Does what a window asks; whatever is wrong with the request, or goes wrong in it, is an answer in words. */
export async function answerMethod(
  methods: MethodTable,
  profiler: Profiler,
  name: HostMethod,
  params: unknown,
): Promise<Outcome<unknown>> {
  try {
    return await methods[name](profiler, params);
  } catch (error) {
    return { ok: false, error: hostError(error) };
  }
}
