import { z } from 'zod';
import { displayFolder } from './display-path.ts';

/** Where a tab's record can be read again: a file of the person's, a copy of ours, or the sample that ships with us. */
const originSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('file'), path: z.string() }),
  z.object({ kind: z.literal('copy'), place: z.string() }),
  z.object({ kind: z.literal('sample') }),
]);
export type Origin = z.infer<typeof originSchema>;

const tabSchema = z.object({
  /** Also the name of its copy, so nothing but an id of ours may stand here. */
  id: z.uuid(),
  name: z.string(),
  origin: originSchema,
  unsaved: z.boolean(),
  valid: z.boolean(),
});
export type StoredTab = z.infer<typeof tabSchema>;

/** What the application remembers of its tabs. */
export const sessionSchema = z.object({ tabs: z.array(tabSchema) });
export type Session = z.infer<typeof sessionSchema>;

/** Where a tab's record lies, for people. */
export function placeOf(origin: Origin): string {
  switch (origin.kind) {
    case 'file':
      return displayFolder(origin.path);
    case 'copy':
      return origin.place;
    case 'sample':
      return 'ships with Tokenscope';
  }
}
