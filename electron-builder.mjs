import { afterPack } from './packaging/after-pack.mjs';

/**
 * What comes out of node_modules: the packages that the built program imports, and what they import in turn. Everything else
 * that `npm ls` calls a dependency is an installer's (adm-zip, global-agent), a browser's (onnxruntime-web), for pictures
 * (sharp, @img) or in the build already (zod): none of it is loaded.
 */
const PACKAGES = [
  '@bufbuild',
  '@huggingface',
  '@resvg',
  'cli-progress',
  'commander',
  'onnx-buf',
  'onnxruntime-common',
  'onnxruntime-node',
  'ws',
  // cli-progress: the width of a text
  'string-width',
  'strip-ansi',
  'ansi-regex',
  'emoji-regex',
  'is-fullwidth-code-point',
];

/**
 * The files of a package. Named per platform and not once for all: electron-builder would take a platform's own list as a
 * second one, that begins with everything.
 */
const filesFor = (platform) => [
  'out/**',
  'resources/{demo-model,fonts}/**',
  '!resources/fonts/*.mjs',
  'records/live-run.json',
  'LICENSE',
  `!node_modules/!(${PACKAGES.join('|')})/**`,
  // onnxruntime-node carries the libraries of every system; a package carries those of its own. electron-builder puts the
  // target's architecture for the braces.
  `!node_modules/onnxruntime-node/bin/napi-v6/!(${platform})/**`,
  '!node_modules/onnxruntime-node/bin/napi-v6/*/!(${arch})/**',
  '!node_modules/onnxruntime-node/{script,lib}/**',
  // A second copy, under its full version, of the library that the binding is linked to.
  '!node_modules/onnxruntime-node/bin/**/libonnxruntime.*.*.*.dylib',
  '!node_modules/onnxruntime-common/lib/**',
  // transformers.js on Node is one file.
  '!node_modules/@huggingface/transformers/{src,types}/**',
  '!node_modules/@huggingface/transformers/dist/!(transformers.node.mjs)',
  '!node_modules/@huggingface/{jinja,tokenizers}/{src,types}/**',
  '!node_modules/@huggingface/{jinja,tokenizers}/dist/*.min.*',
  '!node_modules/@bufbuild/protobuf/dist/cjs/**',
  '!**/*.map',
  '!node_modules/**/*.{md,markdown,ts,cts,mts,tsbuildinfo,flow}',
  '!node_modules/**/tsconfig*.json',
  // transformers.js imports sharp at its top and uses it for pictures only; a tokenizer needs none.
  { from: 'packaging/sharp', to: 'node_modules/sharp' },
];

/** @type {import('electron-builder').Configuration} */
export default {
  appId: 'org.tokenscope.app',
  productName: 'Tokenscope',
  copyright: 'MIT License',
  directories: { output: 'dist', buildResources: 'resources/icons' },
  // Where the package is made public is decided by who makes it public.
  publish: null,
  // The natives keep to Node-API: the same file serves Node and Electron, nothing is compiled.
  npmRebuild: false,

  asar: { smartUnpack: false },
  // What the system's loader or a native library opens by its path. after-pack.mjs puts the rest of the code beside it.
  asarUnpack: ['**/*.node', '**/*.so', '**/*.so.*', '**/*.dylib', '**/*.dll', 'resources/**', 'records/**'],
  afterPack,

  // A .deb has to name the address of its project.
  extraMetadata: { homepage: 'https://tokenscope.example' },

  electronFuses: {
    runAsNode: false,
    enableCookieEncryption: true,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    enableEmbeddedAsarIntegrityValidation: true,
    onlyLoadAppFromAsar: true,
    loadBrowserProcessSpecificV8Snapshot: false,
    grantFileProtocolExtraPrivileges: false,
  },

  icon: 'resources/icons/icon.png',
  // An ending of our own: `.json` belongs to the editors of this world.
  fileAssociations: [
    {
      ext: 'tokenscope',
      name: 'Tokenscope record',
      description: 'Tokenscope record',
      mimeType: 'application/x-tokenscope+json',
      role: 'Editor',
    },
  ],

  linux: {
    target: ['AppImage', 'deb'],
    files: filesFor('linux'),
    // The system knows the window by this name; `tokenscope` stays free for the command line.
    executableName: 'tokenscope-app',
    category: 'Development',
    maintainer: 'Tokenscope <maintainers@tokenscope.example>',
    synopsis: 'A profiler for language-model requests',
  },
  mac: {
    target: [{ target: 'dmg', arch: ['arm64'] }],
    files: filesFor('darwin'),
    category: 'public.app-category.developer-tools',
    // An arm64 Mac starts nothing unsigned, and the switches break the signature that Electron comes with. Without a
    // certificate of the person who packs it, it is signed as nobody's: it starts where it was made.
    ...(process.env.CSC_LINK || process.env.CSC_NAME ? {} : { identity: '-' }),
  },
  win: {
    target: ['nsis'],
    files: filesFor('win32'),
  },
  // The association of a file ending is written for the whole machine or not at all.
  nsis: { oneClick: false, perMachine: true },
};
