import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DEMO_MODEL, FONT_FOLDER, onDisk, SAMPLE_RECORD } from '../../../main/app-paths.ts';

test.each([
  ['sources and an npm installation', '/home/me/tokenscope', '/home/me/tokenscope'],
  ['a package', '/opt/Tokenscope/resources/app.asar', '/opt/Tokenscope/resources/app.asar.unpacked'],
  ['a package, from beside its archive', '/opt/T/resources/app.asar.unpacked', '/opt/T/resources/app.asar.unpacked'],
  ['a folder with the word in its name', '/home/me/app.asar-notes', '/home/me/app.asar-notes'],
])('files that native code opens, in %s', (_, root, disk) => {
  expect(onDisk(root)).toBe(disk);
});

test('from the sources, what ships with the program is there', () => {
  for (const path of [join(DEMO_MODEL, 'tokenizer.json'), SAMPLE_RECORD, join(FONT_FOLDER, 'Inter_400Regular.ttf')]) {
    expect(existsSync(path), path).toBe(true);
  }
});
