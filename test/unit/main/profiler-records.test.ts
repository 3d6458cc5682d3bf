import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { SAMPLE_RECORD } from '../../../main/app-paths.ts';
import type { Profiler } from '../../../main/profiler-contract.ts';
import { fileNameFor, openableText } from '../../../main/saved-record.ts';
import { DEFAULT_SETTINGS } from '../../../shared/host.ts';
import type { TraceRecord } from '../../../shared/record.ts';
import { openProfilers } from '../../support/open-profilers.ts';
import {
  messageOfOutcome,
  openedOf,
  plan,
  temporaryFolder,
  type TestProfiler,
  valueOf,
} from '../../support/profiler.ts';

const openAt = openProfilers();
let folder: string;
let file: string;
let dataDirectory: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, 'live-run.json');
  copyFileSync(SAMPLE_RECORD, file);
  dataDirectory = join(folder, 'data');
});
const open = () => openAt({ dataDirectory });
async function reopen(profiler: Profiler): Promise<TestProfiler> {
  await profiler.close();
  return open();
}
async function runOne({ profiler, events }: TestProfiler): Promise<string> {
  valueOf(await profiler.startRun({ model: 'demo', plan: plan() }));
  const { id } = await events.ended();
  if (id === null) throw new Error('the run left no record');
  return id;
}
const saved = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('opening', () => {
  test('a file gives its record, a tab, and a place on the recent list under an id that tells nothing', async () => {
    const { profiler } = await open();
    const { id } = valueOf(await profiler.openRecord({ by: 'path', path: file }))!;
    expect(valueOf(await profiler.readRecord(id))).toEqual({ valid: true, record: saved(file) });
    expect(profiler.getState().tabs).toEqual([
      { id, name: 'live-run.json', place: folder, unsaved: false, valid: true },
    ]);
    const [recent] = profiler.getState().recent;
    expect(recent).toMatchObject({ name: 'live-run.json', place: folder });
    expect(recent!.id).not.toContain('live');
    expect(valueOf(await profiler.openRecord({ by: 'recent', id: recent!.id }))).toEqual({ id });
  });

  test('the same file twice gives one tab; a file that has changed gives what it holds now', async () => {
    const { profiler } = await open();
    const first = valueOf(await profiler.openRecord({ by: 'path', path: file }))!;
    expect(valueOf(await profiler.openRecord({ by: 'path', path: join(folder, '.', 'live-run.json') }))).toEqual(first);
    const record = saved(file) as TraceRecord;
    writeFileSync(file, JSON.stringify({ ...record, limits: 'changed' }));
    const second = valueOf(await profiler.openRecord({ by: 'path', path: file }))!;
    expect(second).not.toEqual(first);
    expect(profiler.getState().tabs).toHaveLength(1);
    expect(valueOf(await profiler.readRecord(second.id))).toMatchObject({ record: { limits: 'changed' } });
  });

  test('declined in the dialog is no error', async () => {
    const { profiler } = await open();
    expect(await profiler.openRecord({ by: 'dialog' })).toEqual({ ok: true, value: undefined });
  });

  test.each([
    ['an id that is not on the list', { by: 'recent', id: '../../etc/passwd' } as const, 'not on the list'],
    ['a file that is not there', { by: 'path', path: '/nowhere/at/all.json' } as const, 'there is no such file'],
    ['a folder', { by: 'path', path: '/' } as const, 'this is a folder'],
  ])('%s is refused in words', async (_, origin, words) => {
    const { profiler } = await open();
    expect(messageOfOutcome(await profiler.openRecord(origin))).toContain(words);
    expect(profiler.getState()).toMatchObject({ tabs: [], recent: [] });
  });

  test.each([
    ['no bytes', new Uint8Array()],
    ['zeros', new Uint8Array(64)],
    ['bytes that are not UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d)],
    ['half a record', readFileSync(SAMPLE_RECORD).subarray(0, 9000)],
    ['another JSON', bytesOf('[1, 2]')],
  ])('%s open in a view of what is wrong, also after a restart', async (_, bytes) => {
    const first = await open();
    const { id } = valueOf(await first.profiler.openRecord({ by: 'bytes', name: 'dropped.json', bytes }))!;
    const refused = valueOf(await first.profiler.readRecord(id));
    expect(refused).toMatchObject({ valid: false });
    expect(first.profiler.getState().tabs).toMatchObject([{ id, valid: false, unsaved: false }]);
    expect(messageOfOutcome(await first.profiler.saveRecord({ id, as: true }))).toContain('refused');
    if (bytes.length === 0) return;
    const second = await reopen(first.profiler);
    expect(valueOf(await second.profiler.readRecord(id))).toEqual(refused);
  });

  test('a record that cannot be true lists its places and keeps its readable parts', async () => {
    const { profiler } = await open();
    const record = saved(SAMPLE_RECORD) as TraceRecord;
    record.runs[2]!.samples[0]!.generated_tokens = 99;
    const bytes = bytesOf(JSON.stringify(record));
    const { id } = valueOf(await profiler.openRecord({ by: 'bytes', name: 'bad.json', bytes }))!;
    const content = openedOf(await profiler.readRecord(id));
    if (content.valid) throw new Error('was expected to be refused');
    expect(content.problems).toMatchObject([{ path: 'runs[2].samples[0]', reason: 'Token count mismatch' }]);
    expect(content.readable.model).toEqual(record.model);
  });
});

describe('saving', () => {
  test('a run asks for a place once, then goes there without asking; the file has the same figures', async () => {
    const test = await open();
    const { profiler, choose } = test;
    const id = await runOne(test);
    choose.save = join(folder, 'saved.json');
    expect(valueOf(await profiler.saveRecord({ id, as: false }))).toEqual({ id });
    expect(profiler.getState().tabs).toMatchObject([{ id, name: 'saved.json', unsaved: false, place: folder }]);
    expect(profiler.getState().recent).toMatchObject([{ name: 'saved.json' }]);
    const content = openedOf(await profiler.readRecord(id));
    expect(content).toEqual({ valid: true, record: saved(choose.save) });
    // Our copy has done its work.
    expect(readdirSync(join(dataDirectory, 'records'))).toEqual([]);

    choose.save = join(folder, 'must-not-be-asked.json');
    rmSync(join(folder, 'saved.json'));
    valueOf(await profiler.saveRecord({ id, as: true }));
    expect(saved(choose.save)).toEqual(content.valid && content.record);
  });

  test('declined is no error and changes nothing', async () => {
    const test = await open();
    const id = await runOne(test);
    expect(await test.profiler.saveRecord({ id, as: false })).toEqual({ ok: true, value: undefined });
    expect(test.profiler.getState().tabs).toMatchObject([{ unsaved: true }]);
  });

  test.each([
    ['a folder that does not exist', () => join(folder, 'no', 'such', 'x.json'), 'does not exist'],
    ['a folder that is a file', () => join(file, 'x.json'), 'is not a folder'],
    ['a place that is a folder', () => folder, 'this is a folder'],
  ])('into %s is a message, and the record is as unsaved as before', async (_, place, words) => {
    const test = await open();
    const id = await runOne(test);
    test.choose.save = place();
    const before = valueOf(await test.profiler.readRecord(id));
    expect(messageOfOutcome(await test.profiler.saveRecord({ id, as: false }))).toContain(words);
    expect(test.profiler.getState().tabs).toMatchObject([{ id, unsaved: true }]);
    const again = await reopen(test.profiler);
    expect(valueOf(await again.profiler.readRecord(id))).toEqual(before);
  });

  test('by a page: the tab counts as saved under the name the page gave, and is there after a restart', async () => {
    const test = await open();
    const id = await runOne(test);
    const { name, text } = valueOf(await test.profiler.exportRecord(id));
    expect(name).toMatch(/^test-demo-model-\d{8}-\d{4}\.json$/);
    valueOf(await test.profiler.exportedRecord(id, name));
    const again = await reopen(test.profiler);
    expect(again.profiler.getState().tabs).toMatchObject([{ id, name, unsaved: false, place: 'downloads' }]);
    expect(valueOf(await again.profiler.readRecord(id))).toEqual({ valid: true, record: JSON.parse(String(text)) });
  });

  test('a record that would be too large to open again with its spaces is written without them', () => {
    const record = saved(SAMPLE_RECORD) as TraceRecord;
    const [indented, dense] = [openableText(record), openableText(record, 20_000)];
    expect(indented).toContain('\n  ');
    expect(dense).not.toContain('\n  ');
    expect(JSON.parse(dense)).toEqual(JSON.parse(indented));
  });

  test('names that are no file names become ones', () => {
    const record = { created_at: '2026-03-04T05:06:07.000Z' } as TraceRecord;
    expect(fileNameFor('../../a b:c\n"é"', record)).toBe('a-b-c-e-20260304-0506.json');
    expect(fileNameFor('提示', record)).toBe('record-20260304-0506.json');
    expect(fileNameFor('kept.json', record)).toBe('kept.json');
  });
});

describe('after a restart', () => {
  test('the tabs are there again, the unsaved ones too, with the same content', async () => {
    const first = await open();
    const run = await runOne(first);
    const { id: opened } = valueOf(await first.profiler.openRecord({ by: 'path', path: file }))!;
    const { id: sample } = valueOf(await first.profiler.openRecord({ by: 'sample' }))!;
    const before = first.profiler.getState();
    const contents = await Promise.all([run, opened, sample].map((id) => first.profiler.readRecord(id)));
    const second = await reopen(first.profiler);
    expect(second.profiler.getState().tabs).toEqual(before.tabs);
    expect(second.profiler.getState().recent).toEqual(before.recent);
    expect(await Promise.all([run, opened, sample].map((id) => second.profiler.readRecord(id)))).toEqual(contents);
  });

  test('without reopening, only what would be lost comes back', async () => {
    const first = await open();
    const run = await runOne(first);
    valueOf(await first.profiler.openRecord({ by: 'path', path: file }));
    valueOf(await first.profiler.updateSettings({ reopen_tabs: false }));
    const second = await reopen(first.profiler);
    expect(second.profiler.getState().tabs).toMatchObject([{ id: run, unsaved: true }]);
  });

  test('a file that has gone keeps its tab and says so', async () => {
    const first = await open();
    const { id } = valueOf(await first.profiler.openRecord({ by: 'path', path: file }))!;
    const second = await reopen(first.profiler);
    rmSync(file);
    expect(messageOfOutcome(await second.profiler.readRecord(id))).toBe('there is no such file');
    expect(second.profiler.getState().tabs).toHaveLength(1);
  });

  test('a tab that was closed is gone, with its copy', async () => {
    const first = await open();
    const id = await runOne(first);
    valueOf(await first.profiler.closeRecord(id));
    expect(readdirSync(join(dataDirectory, 'records'))).toEqual([]);
    const second = await reopen(first.profiler);
    expect(second.profiler.getState().tabs).toEqual([]);
    expect(messageOfOutcome(await second.profiler.readRecord(id))).toBe('this record is not open');
  });

  test.each([
    ['half of it', '{"theme": "da'],
    ['another form', '{"theme": "pink", "reopen_tabs": true}'],
    ['no text', '\u0000\u0000'],
  ])('settings that hold %s give the defaults, a notice, and stay aside', async (_, content) => {
    mkdirSync(dataDirectory, { recursive: true });
    writeFileSync(join(dataDirectory, 'settings.json'), content);
    const { profiler, events } = await open();
    expect(profiler.getState().settings).toEqual(DEFAULT_SETTINGS);
    expect(events.of('notice')).toMatchObject([
      { message: expect.stringContaining('settings.json could not be read') },
    ]);
    const aside = readdirSync(dataDirectory).find((name) => name.startsWith('settings.json.bad-'));
    expect(readFileSync(join(dataDirectory, aside!), 'utf8')).toBe(content);
    valueOf(await profiler.updateSettings({ theme: 'dark' }));
    const second = await reopen(profiler);
    expect(second.profiler.getState().settings.theme).toBe('dark');
  });

  test('a session that was lost loses no unsaved record', async () => {
    const first = await open();
    const id = await runOne(first);
    const before = valueOf(await first.profiler.readRecord(id));
    await first.profiler.close();
    writeFileSync(join(dataDirectory, 'session.json'), 'not JSON');
    const second = await open();
    expect(second.profiler.getState().tabs).toMatchObject([{ id, name: 'recovered record', unsaved: true }]);
    expect(valueOf(await second.profiler.readRecord(id))).toEqual(before);
  });

  test('a session that names a file outside of ours by its id is not believed', async () => {
    mkdirSync(dataDirectory, { recursive: true });
    const tab = { id: '../../live-run', name: 'x', origin: { kind: 'copy', place: '' }, unsaved: true, valid: true };
    writeFileSync(join(dataDirectory, 'session.json'), JSON.stringify({ tabs: [tab] }));
    const { profiler } = await open();
    expect(profiler.getState().tabs).toEqual([]);
    expect(existsSync(file)).toBe(true);
  });
});

describe('models and settings', () => {
  test('a folder that is no model is refused with what is missing', async () => {
    const { profiler, choose } = await open();
    choose.folder = folder;
    expect(messageOfOutcome(await profiler.addModel({ by: 'dialog' }))).toBe('config.json is missing');
    expect(messageOfOutcome(await profiler.removeModel('demo'))).toContain('stays');
  });

  test('a shape is written beside a run, can be run, taken off the list, and put back without writing it again', async () => {
    const { profiler, events } = await open();
    expect(profiler.getState().presets.map(({ name }) => name)).toContain('tiny');
    const { id } = valueOf(await profiler.synthesizeModel('tiny'))!;
    expect(profiler.getState().models).toMatchObject([{ id: 'demo' }, { id, kind: 'synthetic', problem: null }]);
    valueOf(await profiler.startRun({ model: id, plan: plan() }));
    expect((await events.ended()).notice).toBeNull();
    valueOf(await profiler.removeModel(id));
    const second = await reopen(profiler);
    expect(second.profiler.getState().models.map((model) => model.id)).toEqual(['demo']);
    expect(valueOf(await second.profiler.synthesizeModel('tiny'))).toEqual({ id });
    expect(second.workers).toHaveLength(0);
  });

  test('a synthesis that is cancelled writes nothing; a second one at once is refused', async () => {
    const { profiler, events } = await open();
    const writing = profiler.synthesizeModel('smollm2-135m');
    await events.next((event) => event.type === 'state' && (event.state.synthesis?.done_bytes ?? 0) > 0);
    expect(messageOfOutcome(await profiler.synthesizeModel('tiny'))).toContain('being written already');
    valueOf(await profiler.cancelSynthesis());
    expect(valueOf(await writing)).toBeUndefined();
    expect(profiler.getState()).toMatchObject({ synthesis: null, models: [{ id: 'demo' }] });
    expect(readdirSync(join(dataDirectory, 'models'))).toEqual([]);
  });

  test('what a synthesis left behind when it was cut off is cleared away', async () => {
    mkdirSync(join(dataDirectory, 'models', '.tiny.12.partial'), { recursive: true });
    const { profiler } = await open();
    expect(profiler.getState().models).toHaveLength(1);
    expect(readdirSync(join(dataDirectory, 'models'))).toEqual([]);
  });
});
