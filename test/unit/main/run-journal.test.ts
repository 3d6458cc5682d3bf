import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { journalPath, readJournal, startJournal } from '../../../main/run-journal.ts';
import type { RecordHeader, RunEvent } from '../../../shared/messages.ts';
import { applyEvent, draftToRecord, startDraft } from '../../../shared/record-draft.ts';
import { recordRefusals } from '../../../shared/refusals.ts';
import { openTestProfiler, plan, temporaryFolder, valueOf } from '../../support/profiler.ts';

const CREATED = '2026-03-04T05:06:07.000Z';
const header: RecordHeader = {
  environment: { device: 'cpu' },
  model: { id: 'journal-model' },
  load: { model_ms: 1, tokenizer_ms: 2, reused: false },
  source_sha256: 'abc',
};
const events: RunEvent[] = [
  { type: 'step', step: { kind: 'run', run: 0, name: 'short', sample: 0, of: 2 }, index: 0, count: 2 },
  { type: 'prompt', prompt_tokens: 5, tokenization_ms: 0.25 },
  { type: 'tokens', first: 0, ids: [11, 12], at_ms: [3.5, 4.75], texts: ['Grüße', ' 👋🏽'] },
  { type: 'tokens', first: 2, ids: [13], at_ms: [6], texts: ['\n'] },
  {
    type: 'sample',
    sample: {
      generated_token_ids: [11, 12, 13],
      generated_tokens: 3,
      ttft_ms: 3.5,
      itl_ms: [1.25, 1.25],
      e2e_ms: 6,
      stop_reason: 'eos',
    },
  },
  { type: 'step', step: { kind: 'run', run: 0, name: 'short', sample: 1, of: 2 }, index: 1, count: 2 },
  { type: 'prompt', prompt_tokens: 5, tokenization_ms: 0.25 },
  { type: 'tokens', first: 0, ids: [11], at_ms: [3], texts: ['G'] },
];

function writeJournal(path: string, list: readonly RunEvent[]): void {
  const failures: string[] = [];
  const journal = startJournal(path, startDraft(plan(), header, CREATED), (reason) => failures.push(reason));
  for (const event of list) journal.append(event);
  journal.close();
  expect(failures).toEqual([]);
}

/** What the first events of the list alone make. */
function recordAfter(count: number) {
  const draft = startDraft(plan(), header, CREATED);
  for (const event of events.slice(0, count)) applyEvent(draft, event);
  const record = draftToRecord(draft, {
    status: 'partial',
    reason: 'the application ended during the run; this is what had been written until then',
  });
  return record.runs.length === 0 ? undefined : { plan: 'test', model: 'journal-model', record };
}

describe('a journal', () => {
  test('cut off at every byte is read up to its last whole line', async () => {
    const folder = temporaryFolder();
    const whole = join(folder, 'whole');
    writeJournal(whole, events);
    const bytes = readFileSync(whole);
    const path = join(folder, 'cut');
    for (let length = 0; length <= bytes.length; length++) {
      writeFileSync(path, bytes.subarray(0, length));
      // A line whose line break alone is missing is whole.
      const upTo = bytes[length] === 0x0a ? length + 1 : length;
      const lines = bytes.subarray(0, upTo).filter((byte) => byte === 0x0a).length;
      const recovered = await readJournal(path);
      expect(recovered, `cut at byte ${length}`).toEqual(recordAfter(Math.max(0, lines - 1)));
      if (recovered !== undefined) expect(recordRefusals(recovered.record)).toEqual([]);
    }
  });

  test('of a run that had ended is the complete record', async () => {
    const path = join(temporaryFolder(), 'complete');
    writeJournal(path, [...events.slice(0, 5), { type: 'finished', status: 'complete' }]);
    expect((await readJournal(path))?.record).toMatchObject({ status: 'complete', created_at: CREATED });
  });

  test('ends at a line that is no event of ours, whatever follows', async () => {
    const path = join(temporaryFolder(), 'odd');
    writeJournal(path, events.slice(0, 5));
    writeFileSync(
      path,
      `${readFileSync(path, 'utf8')}{"type":"tokens","ids":"many"}\n{"type":"finished","status":"complete"}\n`,
    );
    expect(await readJournal(path)).toEqual(recordAfter(5));
  });

  test('that cannot be written says so once and the run goes on', () => {
    const failures: string[] = [];
    const draft = startDraft(plan(), header, CREATED);
    const journal = startJournal(join(temporaryFolder(), 'no', 'folder'), draft, (reason) => failures.push(reason));
    for (const event of events) journal.append(event);
    journal.close();
    expect(failures).toHaveLength(1);
  });
});

describe('at the next start', () => {
  test('a journal becomes an unsaved partial record, and is removed once that is stored', async () => {
    const dataDirectory = temporaryFolder();
    const folder = join(dataDirectory, 'journal');
    mkdirSync(folder);
    writeJournal(journalPath(folder, CREATED, 'one'), events);
    const { profiler, events: told } = await openTestProfiler({ dataDirectory });
    expect(told.of('notice')).toMatchObject([{ kind: 'info', message: expect.stringContaining('2 samples') }]);
    const [tab] = profiler.getState().tabs;
    expect(tab).toMatchObject({ name: 'test, journal-model', unsaved: true, valid: true });
    const content = valueOf(await profiler.readRecord(tab!.id));
    expect(content).toMatchObject({ valid: true, record: { status: 'partial' } });
    expect(readdirSync(folder)).toEqual([]);
    await profiler.close();

    const next = await openTestProfiler({ dataDirectory });
    expect(valueOf(await next.profiler.readRecord(tab!.id))).toEqual(content);
    expect(next.profiler.getState().tabs).toHaveLength(1);
    await next.profiler.close();
  });

  test('a journal that holds nothing is cleared away without a word', async () => {
    const dataDirectory = temporaryFolder();
    const folder = join(dataDirectory, 'journal');
    mkdirSync(folder);
    writeFileSync(journalPath(folder, CREATED, 'empty'), '{"journal_ver');
    const { profiler, events: told } = await openTestProfiler({ dataDirectory });
    expect([told.all, profiler.getState().tabs, readdirSync(folder)]).toEqual([[], [], []]);
    await profiler.close();
  });
});
