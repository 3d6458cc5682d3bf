import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readBounded, readRecordFile, writeFileAtomic, writeRecordFile } from '../../../main/record-files.ts';
import { TokenscopeError } from '../../../shared/errors.ts';
import { recordText } from '../../../shared/json-output.ts';
import { recordOf, sample } from '../../support/records.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { CAN_MOUNT, smallDisk } from '../../support/small-disk.ts';

const folder = temporaryFolder();

async function lineOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof TokenscopeError) return error.line.replaceAll(folder, '');
    throw error;
  }
  return 'no error';
}

function file(name: string, text = ''): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('reading', () => {
  test('a folder, a missing file, a file as folder, an empty file, a circle of links, a pipe', async () => {
    mkdirSync(join(folder, 'sub'));
    file('plain');
    symlinkSync('circle', join(folder, 'circle'));
    expect(await lineOf(readRecordFile(join(folder, 'sub')))).toBe('/sub: this is a folder, not a file');
    expect(await lineOf(readRecordFile(join(folder, 'none.json')))).toBe('/none.json: there is no such file');
    expect(await lineOf(readRecordFile(join(folder, 'plain/x')))).toBe(
      '/plain/x: there is no such file: a part of its path is not a folder',
    );
    expect(await lineOf(readRecordFile(join(folder, 'plain')))).toBe('/plain: the file is empty');
    expect(await lineOf(readRecordFile(join(folder, 'circle')))).toBe('/circle: the symbolic link leads in a circle');
    expect(await lineOf(readRecordFile('a\0b'))).toContain('this is not a file name');
    if (spawnSync('mkfifo', [join(folder, 'pipe')]).status === 0) {
      expect(await lineOf(readRecordFile(join(folder, 'pipe')))).toBe('/pipe: this is a device or a pipe, not a file');
    }
  });

  test('no permission: refused, or for an administrator, whom permissions do not bind, read', async () => {
    const path = file('secret.json', recordText(recordOf([sample()])));
    chmodSync(path, 0o000);
    const bound = process.getuid === undefined || process.getuid() !== 0;
    expect(await lineOf(readRecordFile(path))).toBe(
      bound && process.platform !== 'win32' ? '/secret.json: no permission to read this file' : 'no error',
    );
    chmodSync(path, 0o600);
  });

  test('a file over the bound is refused before it is read', async () => {
    const path = file('large', 'x'.repeat(1001));
    expect(await lineOf(readBounded(path, 1000))).toBe('/large: the file has 1.00 kB, a record at most 1.00 kB');
    expect(await readBounded(path, 1001)).toHaveLength(1001);
  });

  test('a file that tells no size is read to its end, and no further than the bound', async () => {
    if (!existsSync('/proc/self/maps')) return;
    expect((await readBounded('/proc/self/maps')).length).toBeGreaterThan(1000);
    expect(await lineOf(readBounded('/proc/self/maps', 100))).toContain('a record at most 100 B');
  });
});

describe('writing', () => {
  test('what is read is what was written, and no other file is left', async () => {
    const target = join(folder, 'out', 'record.json');
    mkdirSync(join(folder, 'out'));
    await writeRecordFile(target, recordOf([sample()]), { force: false });
    expect(await readRecordFile(target)).toMatchObject({ ok: true, record: recordOf([sample()]) });
    expect(readdirSync(join(folder, 'out'))).toEqual(['record.json']);
  });

  test('an existing file stays, unless forced', async () => {
    const path = file('kept.json', 'old');
    expect(await lineOf(writeFileAtomic(path, 'new', { force: false }))).toBe(
      '/kept.json: the file exists already (use --force to replace it)',
    );
    expect(readFileSync(path, 'utf8')).toBe('old');
    await writeFileAtomic(path, 'new', { force: true });
    expect(readFileSync(path, 'utf8')).toBe('new');
  });

  test('of many that write at once one wins, whole, and the others are refused', async () => {
    const path = join(folder, 'raced');
    const texts = Array.from({ length: 8 }, (_, index) => String(index).repeat(100_000));
    const lines = await Promise.all(texts.map((text) => lineOf(writeFileAtomic(path, text, { force: false }))));
    expect(lines.filter((line) => line === 'no error')).toHaveLength(1);
    expect(readFileSync(path, 'utf8')).toBe(texts[lines.indexOf('no error')]);
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('into a folder that is none, over a folder, and a record that JSON cannot hold', async () => {
    mkdirSync(join(folder, 'taken'));
    file('flat');
    expect(await lineOf(writeFileAtomic(join(folder, 'no/x'), '', { force: true }))).toBe(
      '/no/x: the folder to write into does not exist',
    );
    expect(await lineOf(writeFileAtomic(join(folder, 'flat/x'), '', { force: true }))).toBe(
      '/flat/x: the folder to write into is not a folder',
    );
    expect(await lineOf(writeFileAtomic(join(folder, 'taken'), '', { force: true }))).toBe(
      '/taken: this is a folder, not a file',
    );
    const infinite = writeRecordFile(join(folder, 'infinite'), recordOf([sample({ ttft_ms: Infinity })]), {
      force: false,
    });
    expect(await lineOf(infinite)).toBe('ttft_ms: JSON cannot hold the figure Infinity');
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp') || name === 'infinite')).toEqual([]);
  });

  test.skipIf(!CAN_MOUNT)('on a full disk the old file stays whole', async () => {
    const disk = smallDisk(64);
    if (disk === undefined) throw new Error('there was a small disk a moment ago');
    try {
      const path = join(disk.path, 'record.json');
      writeFileSync(path, 'old');
      expect(await lineOf(writeFileAtomic(path, 'x'.repeat(300_000), { force: true }))).toBe(
        `${path}: the disk is full, nothing was written`,
      );
      expect(readdirSync(disk.path)).toEqual(['record.json']);
      expect(readFileSync(path, 'utf8')).toBe('old');
    } finally {
      disk.remove();
    }
  });
});
