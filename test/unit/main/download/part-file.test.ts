import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PartFile } from '../../../../main/download/part-file.ts';
import { REAL_SERVICES } from '../../../../main/download/services.ts';
import { gitSha1, noise, sha256 } from '../../../support/hub.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const folder = temporaryFolder();
const content = noise(10_000, 1);
const wanted = { path: 'file', bytes: content.length, sha256: null, blobSha1: null };
const open = (path: string, services = REAL_SERVICES) =>
  PartFile.open(path, wanted, services, new AbortController().signal, () => undefined);

test('hashes what it has when it is opened again, and never takes more than the file has', async () => {
  const path = join(folder, 'a.part');
  const first = await open(path);
  await first.append(content.subarray(0, 3000));
  await first.close();
  const second = await open(path);
  expect(second.length).toBe(3000);
  await second.append(Buffer.concat([content.subarray(3000), Buffer.alloc(500)]));
  expect(second.length).toBe(10_000);
  expect(second.digest()).toEqual({ sha256: sha256(content), blobSha1: gitSha1(content) });
  await second.finish(join(folder, 'a'));
  expect(readFileSync(join(folder, 'a')).equals(content)).toBe(true);
});

test('a disk that takes only some of each write gets all of it in the end, in order', async () => {
  const path = join(folder, 'b.part');
  const part = await open(path, {
    ...REAL_SERVICES,
    write: (file, block, position) => REAL_SERVICES.write(file, block.subarray(0, 700), position),
  });
  await part.append(content);
  expect(part.digest().sha256).toBe(sha256(content));
  await part.close();
  expect(readFileSync(path).equals(content)).toBe(true);
});

test('nothing is written through a link', async () => {
  const target = join(folder, 'target');
  writeFileSync(target, 'mine');
  symlinkSync(target, join(folder, 'c.part'));
  await expect(open(join(folder, 'c.part'))).rejects.toThrow(/symbolic link/);
  expect(readFileSync(target, 'utf8')).toBe('mine');
});
