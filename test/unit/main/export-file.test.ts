import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SAMPLE_RECORD } from '../../../main/app-paths.ts';
import { exportRecord } from '../../../main/cli/export.ts';
import type { Io } from '../../../main/cli/io.ts';
import { report } from '../../../main/cli/report.ts';
import { TEXT_FORMATS } from '../../../main/export-text.ts';
import { EXPORT_FORMATS, type ExportRequest } from '../../../shared/export-formats.ts';
import { openTestProfiler, temporaryFolder, type TestProfiler, valueOf } from '../../support/profiler.ts';

let app: TestProfiler;
let id: string;
const pictures: Uint8Array[] = [];
const folder = temporaryFolder();
const quiet: Io = { stdout: () => undefined, stderr: () => undefined, watched: false };

beforeAll(async () => {
  app = await openTestProfiler({
    copyPicture: (png) => {
      pictures.push(png);
      return Promise.resolve();
    },
  });
  id = valueOf(await app.profiler.openRecord({ by: 'path', path: SAMPLE_RECORD }))!.id;
});
afterAll(() => app.profiler.close());

const request = (change: Partial<ExportRequest> = {}): ExportRequest => ({
  id,
  format: 'svg',
  scale: 1,
  theme: 'light',
  ...change,
});
const sha = (content: Uint8Array | string): string => createHash('sha256').update(content).digest('hex');

describe('a file has the same bytes from the window and from the command line', () => {
  test.each([
    ['png', 'light', 1],
    ['png', 'dark', 2],
    ['svg', 'dark', 2],
    ['html', 'light', 2],
  ] as const)('%s, %s, scale %d', async (format, theme, scale) => {
    const byCommand = join(folder, `command-${theme}-${scale}.${format}`);
    await report(SAMPLE_RECORD, { output: byCommand, theme, scale, force: false }, quiet);
    const byWindow = join(folder, `window-${theme}-${scale}.${format}`);
    app.choose.save = byWindow;
    expect(valueOf(await app.profiler.exportFile(request({ format, theme, scale })))).toEqual({
      name: `window-${theme}-${scale}.${format}`,
    });
    expect(sha(readFileSync(byWindow))).toBe(sha(readFileSync(byCommand)));
  });

  test.each(TEXT_FORMATS)('%s', async (format) => {
    const byCommand = join(folder, `command-${format}`);
    await exportRecord(SAMPLE_RECORD, { to: format, output: byCommand, force: false }, quiet);
    const { content } = valueOf(await app.profiler.exportContent(request({ format })));
    expect(sha(content)).toBe(sha(readFileSync(byCommand)));
  });
});

test('the record itself can be opened again and is the same', async () => {
  const { name, content } = valueOf(await app.profiler.exportContent(request({ format: 'record' })));
  expect(name).toBe('live-run.json');
  expect(JSON.parse(new TextDecoder().decode(content))).toEqual(JSON.parse(readFileSync(SAMPLE_RECORD, 'utf8')));
});

test('each format of the table is one that is written', async () => {
  for (const { id: format } of EXPORT_FORMATS) {
    expect(valueOf(await app.profiler.exportContent(request({ format }))).content.length, format).toBeGreaterThan(100);
  }
});

test('whoever declines the place gets no file', async () => {
  app.choose.save = undefined;
  expect(await app.profiler.exportFile(request())).toEqual({ ok: true, value: undefined });
});

test('a picture that is too large is refused with its size and a remedy, before a place is asked for', async () => {
  app.choose.save = join(folder, 'too-large.png');
  const outcome = await app.profiler.exportFile(request({ format: 'png', scale: 16 }));
  expect(outcome).toMatchObject({ ok: false, error: { code: 'argument' } });
  if (outcome.ok) return;
  expect(outcome.error.message).toMatch(/19,200 x [\d,]+ pixels/);
  expect(outcome.error.remedy).toContain('SVG');
  expect(existsSync(app.choose.save)).toBe(false);
});

test('a place that cannot be written to is named, and what was there stays', async () => {
  app.choose.save = join(folder, 'no-such-folder', 'x.svg');
  expect(await app.profiler.exportFile(request())).toMatchObject({
    ok: false,
    error: { code: 'file', message: expect.stringContaining('folder') },
  });
});

test('the clipboard gets the picture that a file would hold', async () => {
  expect(await app.profiler.copyPicture({ id, theme: 'dark', scale: 1 })).toEqual({ ok: true, value: undefined });
  const { content } = valueOf(await app.profiler.exportContent(request({ format: 'png', theme: 'dark' })));
  expect(pictures.map(sha)).toEqual([sha(content)]);
  expect([...content.subarray(1, 4)]).toEqual([0x50, 0x4e, 0x47]);
});

test('a host without a clipboard says so', async () => {
  const other = await openTestProfiler();
  const opened = valueOf(await other.profiler.openRecord({ by: 'sample' }))!;
  expect(await other.profiler.copyPicture({ id: opened.id, theme: 'dark', scale: 1 })).toMatchObject({ ok: false });
  await other.profiler.close();
});

test('a record that was refused is not exported', async () => {
  const record = JSON.parse(readFileSync(SAMPLE_RECORD, 'utf8')) as { runs: { samples: { e2e_ms: number }[] }[] };
  record.runs[0]!.samples[0]!.e2e_ms += 100;
  const path = join(folder, 'refused.json');
  writeFileSync(path, JSON.stringify(record));
  const refused = valueOf(await app.profiler.openRecord({ by: 'path', path }))!;
  for (const format of ['png', 'csv', 'record'] as const) {
    expect(await app.profiler.exportFile(request({ id: refused.id, format }))).toMatchObject({
      ok: false,
      error: { code: 'record' },
    });
  }
});
