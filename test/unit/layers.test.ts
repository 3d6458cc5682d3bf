import { readFileSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from 'vitest';

/** Who may import whom: the table of the layers, held against the import lines of every source. */

const ROOT = join(import.meta.dirname, '../..');

/** The files of Electron's shell: the only ones under main/ that may import electron. */
const SHELL = new Set(
  ['index', 'window', 'security', 'app-protocol', 'menu', 'ipc', 'electron-worker', 'dialogs', 'shell'].map(
    (name) => `main/${name}.ts`,
  ),
);

interface Layer {
  /** Whether the file belongs to this layer; the first layer that holds is the file's. */
  readonly holds: (file: string) => boolean;
  /** Whether a file of the layer may import another file of ours, by its path in the repository. */
  readonly ours: (target: string) => boolean;
  /** Whether it may import a package, by the package's name; node: modules are called "node:". */
  readonly packages: (name: string) => boolean;
}

const inside =
  (...folders: string[]) =>
  (path: string): boolean =>
    folders.some((folder) => path.startsWith(`${folder}/`));
const oneOf =
  (...names: string[]) =>
  (name: string): boolean =>
    names.includes(name);
const isMain = (path: string): boolean => inside('main')(path) && !inside('main/inference')(path);

const LAYERS: readonly Layer[] = [
  { holds: inside('shared/report'), ours: inside('shared'), packages: oneOf('zod', 'react', 'react-dom') },
  {
    holds: inside('shared'),
    ours: (path) => inside('shared')(path) && !inside('shared/report')(path),
    packages: oneOf('zod'),
  },
  {
    holds: inside('main/inference'),
    ours: (path) => inside('shared', 'main/inference')(path) || path === 'package.json',
    packages: (name) => name !== 'electron' && !isUi(name),
  },
  {
    holds: (path) => SHELL.has(path),
    ours: (path) => inside('shared')(path) || isMain(path) || path === 'package.json',
    packages: (name) => !isModel(name) && !isUi(name),
  },
  {
    holds: inside('main'),
    ours: (path) => inside('shared')(path) || (isMain(path) && !SHELL.has(path)) || path === 'package.json',
    packages: (name) => name !== 'electron' && !isModel(name) && !isUi(name),
  },
  { holds: inside('preload'), ours: inside('shared', 'preload'), packages: oneOf('electron') },
  {
    holds: inside('renderer'),
    ours: inside('shared', 'renderer'),
    packages: (name) => name !== 'node:' && name !== 'electron' && !isModel(name),
  },
];

function isModel(name: string): boolean {
  return ['onnxruntime-node', '@huggingface/transformers', 'onnx-buf'].includes(name);
}

/** React draws the report in shared/report; the process behind it may render it to text. */
function isUi(name: string): boolean {
  return ['react', 'uplot', 'zustand'].includes(name);
}

/** Packages that one file alone may import, so that replacing or guarding them stays possible. */
const SINGLE_IMPORTERS: { readonly [name: string]: string } = {
  'onnxruntime-node': 'main/inference/session.ts',
  '@huggingface/transformers': 'main/inference/tokenizer.ts',
};

/** What breaks the table in a source, one line for each import that does. */
function breaches(file: string, source: string): string[] {
  const layer = LAYERS.find(({ holds }) => holds(file));
  if (layer === undefined) return [`${file} belongs to no layer`];
  return importsOf(source).flatMap((specifier) => {
    if (specifier.startsWith('.')) {
      const target = posix.join(posix.dirname(file), specifier);
      return layer.ours(target) ? [] : [`${file} imports ${target}`];
    }
    const name = packageOf(specifier);
    const owner = SINGLE_IMPORTERS[name];
    const allowed = layer.packages(name) && (owner === undefined || owner === file);
    return allowed ? [] : [`${file} imports ${specifier}`];
  });
}

/** Every module a source names: import and export ... from, import for its effects, import(), require(), import types. */
function importsOf(source: string): string[] {
  const code = source.replaceAll(/\/\*[^]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
  const patterns = [
    /\bfrom\s*['"]([^'"\n]+)['"]/g,
    /\bimport\s*['"]([^'"\n]+)['"]/g,
    /\b(?:import|require)\s*\(\s*['"`]([^'"`\n]+)['"`]/g,
  ];
  return patterns.flatMap((pattern) => [...code.matchAll(pattern)].flatMap((match) => match[1] ?? []));
}

function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return 'node:';
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function sources(): string[] {
  return ['shared', 'main', 'preload', 'renderer'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|tsx|mts|cts|js|mjs)$/.test(name))
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`),
  );
}

test('every import keeps to the layers', () => {
  const files = sources();
  expect(files.length).toBeGreaterThan(20);
  expect(files.flatMap((file) => breaches(file, readFileSync(join(ROOT, file), 'utf8')))).toEqual([]);
});

test('node modules are named with node:, so that the rules above see them', () => {
  const builtins =
    /^(assert|buffer|child_process|crypto|events|fs|http|https|net|os|path|process|stream|timers|url|util|v8|vm|worker_threads|zlib)(\/|$)/;
  const bare = sources().flatMap((file) =>
    importsOf(readFileSync(join(ROOT, file), 'utf8')).filter((name) => builtins.test(name)),
  );
  expect(bare).toEqual([]);
});

test.each([
  ['shared/a.ts', "import { readFile } from 'node:fs';", 'shared/a.ts imports node:fs'],
  ['shared/a.ts', "import React from 'react';", 'shared/a.ts imports react'],
  ['shared/a.ts', "export * from './report/view.tsx';", 'shared/a.ts imports shared/report/view.tsx'],
  ['shared/a.ts', "import type { Host } from '../main/profiler.ts';", 'shared/a.ts imports main/profiler.ts'],
  ['shared/a.ts', "type T = import('../main/b.ts').T;", 'shared/a.ts imports main/b.ts'],
  ['main/inference/a.ts', "import { x } from '../profiler.ts';", 'main/inference/a.ts imports main/profiler.ts'],
  ['main/inference/a.ts', "import 'electron';", 'main/inference/a.ts imports electron'],
  ['main/inference/a.ts', "import * as ort from 'onnxruntime-node';", 'main/inference/a.ts imports onnxruntime-node'],
  [
    'main/profiler.ts',
    "import { decode } from './inference/decoder.ts';",
    'main/profiler.ts imports main/inference/decoder.ts',
  ],
  ['main/cli/run.ts', "const e = await import('electron');", 'main/cli/run.ts imports electron'],
  ['main/serve.ts', "import { window } from './window.ts';", 'main/serve.ts imports main/window.ts'],
  [
    'main/window.ts',
    "import { worker } from './inference/worker.ts';",
    'main/window.ts imports main/inference/worker.ts',
  ],
  ['preload/index.ts', "import { readFile } from 'node:fs';", 'preload/index.ts imports node:fs'],
  ['renderer/app.tsx', "import {\n  a,\n} from '../main/profiler.ts';", 'renderer/app.tsx imports main/profiler.ts'],
  ['renderer/app.tsx', "const fs = require('node:fs');", 'renderer/app.tsx imports node:fs'],
  ['renderer/app.tsx', "import { x } from '../test/y.ts';", 'renderer/app.tsx imports test/y.ts'],
])('a breach planted in %s is found: %s', (file, source, breach) => {
  expect(breaches(file, source)).toEqual([breach]);
});

test('what the table allows is no breach', () => {
  expect(
    breaches(
      'shared/a.ts',
      "import { z } from 'zod';\nimport { b } from './b.ts';\n// import 'electron';\n/* from 'node:fs' */",
    ),
  ).toEqual([]);
  expect(
    breaches('main/window.ts', "import { app } from 'electron';\nimport { profiler } from './profiler.ts';"),
  ).toEqual([]);
  expect(
    breaches(
      'main/inference/session.ts',
      "import ort from 'onnxruntime-node';\nimport { x } from '../../shared/x.ts';",
    ),
  ).toEqual([]);
});
