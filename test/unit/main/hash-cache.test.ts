import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { HashCache, hashFile } from '../../../main/hash-cache.ts';
import { noise, sha256 } from '../../support/hub.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const root = temporaryFolder();
const content = noise(3_000_000, 1);
/** Files of this test were written long ago, as far as the cache can tell. */
const later = () => Date.now() + 60_000;
let count = 0;
let file: string;
let cachePath: string;
beforeEach(() => {
  count += 1;
  file = join(root, `file-${count}`);
  cachePath = join(root, 'made', `hashes-${count}.json`);
  writeFileSync(file, content);
});

test('a hash is kept for the next process, and for a link to the file', async () => {
  const cache = new HashCache(cachePath, later);
  expect(await cache.get(file)).toBeUndefined();
  expect(await cache.hash(file)).toBe(sha256(content));
  expect(await cache.get(file)).toBe(sha256(content));
  await cache.save();
  expect(await new HashCache(cachePath, later).get(file)).toBe(sha256(content));
});

test.each<[string, (path: string) => void]>([
  ['was appended to', (path) => appendFileSync(path, 'x')],
  ['was cut', (path) => truncateSync(path, 5)],
  ['was touched', (path) => utimesSync(path, 1, 1)],
  [
    'was changed and given its old times back',
    (path) => {
      const other = Buffer.from(content);
      other[7]! ^= 1;
      writeFileSync(path, other);
      utimesSync(path, 1_700_000_000, 1_700_000_000);
    },
  ],
  [
    'was replaced by another of the same size and times',
    (path) => {
      writeFileSync(`${path}.new`, noise(3_000_000, 2));
      utimesSync(`${path}.new`, 1_700_000_000, 1_700_000_000);
      renameSync(`${path}.new`, path);
    },
  ],
])('is not taken for a file that %s', async (_, change) => {
  utimesSync(file, 1_700_000_000, 1_700_000_000);
  const cache = new HashCache(cachePath, later);
  await cache.hash(file);
  change(file);
  expect(await cache.get(file)).toBeUndefined();
  expect(await cache.hash(file)).toBe(sha256(readFileSync(file)));
});

test('is not kept for a file that was written just now: its times could stay the same', async () => {
  const cache = new HashCache(cachePath, Date.now);
  await cache.hash(file);
  expect(await cache.get(file)).toBeUndefined();
});

test('a file that changes while it is read has no hash', async () => {
  let changed = false;
  const hashing = new HashCache(cachePath, later).hash(file, () => {
    if (!changed) appendFileSync(file, 'more');
    changed = true;
  });
  await expect(hashing).rejects.toThrow(/changed while it was read/);
});

test('what cannot be read counts as empty, and what cannot be written is no error', async () => {
  for (const text of ['', '{', '{"version":2}', '{"version":1,"files":{"a":{"size":1}}}']) {
    mkdirSync(join(root, 'made'), { recursive: true });
    writeFileSync(cachePath, text);
    const cache = new HashCache(cachePath, later);
    expect(await cache.get(file)).toBeUndefined();
    await cache.hash(file);
    await cache.save();
    expect(await new HashCache(cachePath, later).get(file)).toBe(sha256(content));
  }
  const nowhere = new HashCache(join(file, 'cache.json'), later);
  await nowhere.hash(file);
  await nowhere.save();
  expect(existsSync(join(file, 'cache.json'))).toBe(false);
});

test('two processes add to it without taking from each other', async () => {
  const other = join(root, `other-${count}`);
  writeFileSync(other, 'x');
  const [a, b] = [new HashCache(cachePath, later), new HashCache(cachePath, later)];
  expect(await b.get(other)).toBeUndefined();
  await a.hash(file);
  await b.hash(other);
  await a.save();
  await b.save();
  const read = new HashCache(cachePath, later);
  expect([await read.get(file), await read.get(other)]).toEqual([sha256(content), sha256(Buffer.from('x'))]);
});

test('a listener that throws ends the hashing with what it threw', async () => {
  const stop = new Error('enough');
  await expect(
    hashFile(file, () => {
      throw stop;
    }),
  ).rejects.toBe(stop);
  await expect(hashFile(join(root, 'missing'))).rejects.toThrow(/cannot be read/);
});
