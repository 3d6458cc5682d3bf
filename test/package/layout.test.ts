import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { arch } from 'node:os';
import { basename, join } from 'node:path';
import { isBuiltin } from 'node:module';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { filesOfCommandLine } from '../../main/open-paths.ts';
import { fileNameFor } from '../../main/saved-record.ts';
import { RecordReader } from '../../main/record-reader.ts';
import { forkNodeRecordWorker } from '../../main/record-worker-host.ts';
import { forkNodeWorker } from '../../main/worker-process.ts';
import type { TraceRecord } from '../../shared/record.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { archiveFiles, bytesOf, filesBelow, fusesOf, type Layout, layOut, packagesIn, readArchived } from './layout.ts';

/** The package as it would be installed, without Electron: complete, nothing foreign in it, and its parts run. */

const folder = temporaryFolder();
let layout: Layout;
let onDisk: string[];

beforeAll(() => {
  const output = join(folder, 'dist');
  mkdirSync(output);
  layout = layOut(output);
  onDisk = filesBelow(layout.disk);
});

const RESVG_NATIVE = `resvg-js-linux-${arch()}-gnu`;
const ONLY_IN_ARCHIVE = ['out/main/index.js', 'out/preload/index.cjs'];

test('the folders are those of a program, and no others', () => {
  expect(readdirSync(layout.folder).toSorted()).toEqual(
    ['LICENSE.electron.txt', 'LICENSES.chromium.html', 'locales', 'resources', 'tokenscope-app'].toSorted(),
  );
  expect(readdirSync(join(layout.folder, 'resources')).toSorted()).toEqual(['app.asar', 'app.asar.unpacked']);
  const top = (paths: Iterable<string>) => [...new Set([...paths].map((path) => path.split('/')[0] ?? ''))].toSorted();
  const expected = ['LICENSE', 'node_modules', 'out', 'package.json', 'records', 'resources'];
  expect(top(onDisk)).toEqual(expected);
  expect(top(archiveFiles(layout.archive).keys())).toEqual(expected);
  expect(readdirSync(join(layout.disk, 'resources')).toSorted()).toEqual(['demo-model', 'fonts']);
  expect(readdirSync(join(layout.disk, 'records'))).toEqual(['live-run.json']);
});

test('of the dependencies, only what runs', () => {
  expect(packagesIn(join(layout.disk, 'node_modules'))).toEqual(
    [
      '@bufbuild/protobuf',
      '@huggingface/jinja',
      '@huggingface/tokenizers',
      '@huggingface/transformers',
      '@resvg/resvg-js',
      `@resvg/${RESVG_NATIVE}`,
      'ansi-regex',
      'cli-progress',
      'commander',
      'emoji-regex',
      'is-fullwidth-code-point',
      'onnx-buf',
      'onnxruntime-common',
      'onnxruntime-node',
      'sharp',
      'string-width',
      'strip-ansi',
      'ws',
    ].toSorted(),
  );
  // What stands in for sharp, not sharp.
  expect(filesBelow(join(layout.disk, 'node_modules/sharp'))).toEqual(['index.js', 'package.json']);
});

test('no sources, no maps, no types, no manuals of dependencies', () => {
  const foreign = [...onDisk, ...archiveFiles(layout.archive).keys()].filter((path) => {
    const name = basename(path);
    if (/^(license|notice)(-.*)?(\.txt|\.md)?$/i.test(name)) return false;
    if (path.startsWith('resources/demo-model/')) return !/\.(json|onnx|md)$/.test(name);
    if (path.startsWith('resources/fonts/')) return !/\.(ttf|woff2|txt)$/.test(name);
    if (path.startsWith('out/renderer/')) return !/\.(html|js|css|ttf|woff2)$/.test(name);
    return !/\.(js|cjs|mjs|json|node)$/.test(name) && name !== 'libonnxruntime.so.1';
  });
  expect(foreign).toEqual([]);
  const manifest = JSON.parse(readFileSync(join(layout.disk, 'package.json'), 'utf8')) as object;
  expect(Object.keys(manifest)).not.toContain('scripts');
  expect(Object.keys(manifest)).not.toContain('devDependencies');
});

test("one onnxruntime: this system's", () => {
  const natives = 'node_modules/onnxruntime-node/bin/';
  const expected = ['libonnxruntime.so.1', 'onnxruntime_binding.node'].map(
    (name) => `${natives}napi-v6/linux/${arch()}/${name}`,
  );
  expect(onDisk.filter((path) => path.startsWith(natives))).toEqual(expected);
});

test('natives and resources lie beside the archive; the code lies in it, each file with its hash', () => {
  const archived = archiveFiles(layout.archive);
  for (const [path, entry] of archived) {
    const native = /\.(node|dll|dylib|so)(\.\d+)?$/.test(path);
    expect(entry.unpacked ?? false, path).toBe(native || /^(resources|records)\//.test(path));
    expect(entry.integrity?.algorithm, path).toBe('SHA256');
    if (entry.unpacked) continue;
    const content = readArchived(layout.archive, path);
    expect(createHash('sha256').update(content).digest('hex'), path).toBe(entry.integrity?.hash);
    // The same byte for byte on the disk, for the worker and the command line.
    if (ONLY_IN_ARCHIVE.includes(path)) expect(onDisk).not.toContain(path);
    else expect(content.equals(readFileSync(join(layout.disk, path))), path).toBe(true);
  }
  expect(onDisk.filter((path) => !archived.has(path))).toEqual([]);
});

test('every package that the built code imports is there, and no other', () => {
  const installed = new Set(packagesIn(join(layout.disk, 'node_modules')));
  const built = [...archiveFiles(layout.archive).keys()].filter((path) => /^out\/main\/.*\.js$/.test(path));
  expect(built).toEqual(
    expect.arrayContaining(['index', 'cli', 'worker', 'record-worker'].map((name) => `out/main/${name}.js`)),
  );
  const imported = new Set(
    built.flatMap((path) => {
      const code = readArchived(layout.archive, path).toString('utf8');
      return [...code.matchAll(/(?:^import |\bfrom |\bimport\()["']([^."'][^"']*)["']/gm)]
        .map(([, specifier = '']) => specifier)
        .filter((specifier) => !isBuiltin(specifier) && specifier !== 'electron')
        .map((specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier);
    }),
  );
  expect([...imported]).toEqual(expect.arrayContaining(['ws', 'onnxruntime-node', '@resvg/resvg-js']));
  expect([...imported].filter((name) => !installed.has(name))).toEqual([]);
  // And nothing is there that neither the program nor a package of it asks for.
  const wanted = new Set([...imported, ...[...installed].flatMap(dependenciesOf)]);
  expect([...installed].filter((name) => !wanted.has(name))).toEqual([]);
});

function dependenciesOf(name: string): string[] {
  const manifest = JSON.parse(readFileSync(join(layout.disk, 'node_modules', name, 'package.json'), 'utf8')) as {
    dependencies?: object;
    optionalDependencies?: object;
  };
  return Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
}

test("Electron's switches are turned", () => {
  // Run as Node, cookie encryption, NODE_OPTIONS, --inspect, check the archive, only from the archive, own V8 snapshot,
  // privileges of file://. The ninth of the placeholder is one that this configuration says nothing about.
  expect(fusesOf(join(layout.folder, 'tokenscope-app'))).toBe('010011001');
});

test('the sizes stay in their budget', () => {
  const of = (path: string) => bytesOf(join(layout.disk, path)) / 1e6;
  const modules = join(layout.disk, 'node_modules');
  const runtime = of('node_modules/onnxruntime-node/bin');
  const pictures = of(`node_modules/@resvg/${RESVG_NATIVE}`);
  const table = {
    'app.asar': [bytesOf(layout.archive) / 1e6, 7],
    'onnxruntime (native)': [runtime, 50],
    'resvg (native)': [pictures, 5],
    'dependencies on the disk': [bytesOf(modules) / 1e6 - runtime - pictures, 4],
    'own code and page on the disk': [of('out'), 3],
    'demo model, fonts, sample': [of('resources') + of('records'), 7],
    'all of it, without Electron': [bytesOf(join(layout.folder, 'resources')) / 1e6, 72],
  } as const;
  for (const [name, [megabytes, budget]] of Object.entries(table)) {
    console.log(`${name}: ${megabytes.toFixed(1)} MB of ${budget}`);
    expect(megabytes, name).toBeLessThan(budget);
  }
});

/** Runs the packaged command line with plain Node, far from the sources. */
function cli(...args: string[]) {
  return spawn(process.execPath, [join(layout.disk, 'out/main/cli.js'), ...args], {
    cwd: folder,
    env: { ...process.env, TOKENSCOPE_DATA_DIR: join(folder, 'data') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function ended(child: ReturnType<typeof cli>): Promise<{ code: unknown; stderr: string }> {
  let stderr = '';
  child.stdout.resume();
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = (await once(child, 'close')) as unknown[];
  return { code, stderr };
}

test('the command line measures the demo model and draws a report, from the packaged files alone', async () => {
  const plan = join(folder, 'plan.json');
  writeFileSync(
    plan,
    JSON.stringify({ name: 'tiny', runs: [{ name: 'a', prompt: 'Hi', max_new_tokens: 3, repeats: 1 }] }),
  );
  const run = await ended(cli('run', '--plan', plan, '--output', 'a.tokenscope'));
  expect(run, run.stderr).toMatchObject({ code: 0 });
  const record = JSON.parse(readFileSync(join(folder, 'a.tokenscope'), 'utf8')) as TraceRecord;
  expect(record.runs.map(({ name, samples }) => [name, samples.length])).toEqual([['a', 1]]);
  // A picture needs resvg and the fonts.
  const report = await ended(cli('report', 'a.tokenscope', '--output', 'a.png'));
  expect(report, report.stderr).toMatchObject({ code: 0 });
  expect(readFileSync(join(folder, 'a.png')).subarray(1, 4).toString()).toBe('PNG');
});

test('the command line serves the packaged page and the sample', async () => {
  const child = cli('serve', join(layout.disk, 'records/live-run.json'));
  const end = once(child, 'close');
  const line = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const [url] = await Promise.race([line, end.then(() => Promise.reject(new Error('it ended')))]);
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain('<script');
  child.kill('SIGTERM');
  expect(await end).toEqual([0, null]);
});

test('the worker starts by its path and leaves when told to', async () => {
  const worker = forkNodeWorker(join(layout.disk, 'out/main/worker.js'));
  const exit = new Promise<string>((resolve) => {
    worker.onExit(resolve);
  });
  worker.port.post({ type: 'quit' });
  expect(await exit).toBe('ended by itself');
});

test('the process that reads large records starts by its path', async () => {
  const reader = new RecordReader(() => forkNodeRecordWorker(200, join(layout.disk, 'out/main/record-worker.js')));
  const sample = readFileSync(join(layout.disk, 'records/live-run.json'));
  expect(await reader.check(sample)).toMatchObject({ valid: true, problems: [] });
  // What draws is loaded only then, and from here as well.
  const picture = await reader.exportContent(sample, { id: 'x', format: 'png', scale: 1, theme: 'light' });
  expect(Buffer.from(picture).subarray(1, 4).toString()).toBe('PNG');
});

test('the file ending that the system opens with the program is one it takes and keeps', async () => {
  const config = (await import(pathToFileURL(join(import.meta.dirname, '../../electron-builder.mjs')).href)) as {
    default: { fileAssociations: { ext: string }[] };
  };
  expect(config.default.fileAssociations.map(({ ext }) => ext)).toEqual(['tokenscope']);
  writeFileSync(join(folder, 'mine.tokenscope'), '{}');
  expect(filesOfCommandLine(['/opt/Tokenscope/tokenscope-app', 'mine.tokenscope'], folder, true)).toEqual([
    join(folder, 'mine.tokenscope'),
  ]);
  expect(fileNameFor('mine.tokenscope', {})).toBe('mine.tokenscope');
});
