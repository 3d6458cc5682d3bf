import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { headerSchema, type RunEvent, runEventSchema } from '../shared/messages.ts';
import { planSchema } from '../shared/plan.ts';
import type { TraceRecord } from '../shared/record.ts';
import { applyEvent, draftToRecord, type Ending, type RecordDraft, startDraft } from '../shared/record-draft.ts';
import { writeProblem } from './record-files.ts';

/**
 * The journal of a run: a file of JSON lines that grows while the run streams. The first line holds the plan and the
 * header, every further line one event. Whatever ends the application, the lines that were written can be read again.
 */
const startSchema = z.object({
  journal_version: z.literal(1),
  created_at: z.string(),
  plan: planSchema,
  header: headerSchema,
});

const SUFFIX = '.journal.jsonl';

export interface RunJournal {
  readonly path: string;
  append(event: RunEvent): void;
  /** Nothing more is written; the file stays until its record is safe. */
  close(): void;
}

/**
 * Starts a journal. If it cannot be written (a full disk), the run goes on without one: `onFailure` is told once, why.
 * Lines are written at once and in the calling thread: some microseconds each, and nothing waits in a buffer of ours.
 */
export function startJournal(path: string, draft: RecordDraft, onFailure: (reason: string) => void): RunJournal {
  let file: number | undefined;
  const close = () => {
    if (file !== undefined) closeSync(file);
    file = undefined;
  };
  const attempt = (work: () => void) => {
    try {
      work();
    } catch (error) {
      close();
      onFailure(writeProblem(error));
    }
  };
  const write = (value: unknown) => {
    if (file === undefined) return;
    const line = Buffer.from(`${JSON.stringify(value)}\n`);
    for (let written = 0; written < line.length; ) written += writeSync(file, line, written);
  };
  attempt(() => {
    file = openSync(path, 'wx', 0o600);
    const start: z.input<typeof startSchema> = {
      journal_version: 1,
      created_at: draft.createdAt,
      plan: draft.plan,
      header: draft.header,
    };
    write(start);
  });
  return { path, append: (event) => attempt(() => write(event)), close };
}

/** The journals that earlier runs left behind, oldest first. */
export async function leftJournals(folder: string): Promise<string[]> {
  // Where the folder could not be made there are none.
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(SUFFIX)).toSorted();
  return names.map((name) => join(folder, name));
}

/** A journal's place. The date comes first, so that names sort by time. */
export function journalPath(folder: string, createdAt: string, id: string): string {
  return join(folder, `${createdAt.replaceAll(/[^0-9TZ]/g, '')}-${id}${SUFFIX}`);
}

export async function removeJournal(path: string): Promise<void> {
  await rm(path, { force: true });
}

export interface RecoveredRun {
  plan: string;
  model: string;
  record: TraceRecord;
}

/**
 * What a journal holds, up to its last whole line. Undefined: not even its first line, or not one token of a run, so
 * there is nothing to recover. A journal that was read to the end of its run gives the record as it would have been.
 */
export async function readJournal(path: string): Promise<RecoveredRun | undefined> {
  let draft: RecordDraft | undefined;
  let ending: Ending = {
    status: 'partial',
    reason: 'the application ended during the run; this is what had been written until then',
  };
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) {
    const value = wholeLine(line);
    if (draft === undefined) {
      const start = startSchema.safeParse(value);
      if (!start.success) break;
      draft = startDraft(start.data.plan, start.data.header, start.data.created_at);
      continue;
    }
    const event = runEventSchema.safeParse(value);
    // The line at which the writing broke off, and nothing after it counts.
    if (!event.success) break;
    applyEvent(draft, event.data);
    if (event.data.type !== 'finished') continue;
    ending =
      event.data.status === 'complete'
        ? { status: 'complete' }
        : { status: 'cancelled', reason: 'cancelled by request' };
  }
  lines.close();
  if (draft === undefined) return undefined;
  const record = draftToRecord(draft, ending);
  return record.runs.length === 0 ? undefined : { plan: draft.plan.name, model: draft.header.model.id, record };
}

function wholeLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
