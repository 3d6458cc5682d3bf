import { expect, test } from 'vitest';
import { chooseFiles, listingSchema } from '../../../../main/download/hub-listing.ts';
import { pinOf } from '../../../../main/download/model-pins.ts';
import { DEFAULT_DOWNLOAD } from '../../../../shared/model-download.ts';

/** The figures of the toolchain notes, by hand: bytes and the SHA-256 of each known file of the default model. */
const KNOWN: [string, number, string][] = [
  ['onnx/model_q4.onnx', 786156820, '09235a3b1c135cd04ef570e5053b5c079e028078a2cc5f76ba6a251e91bf3296'],
  ['onnx/model_q4f16.onnx', 483003582, 'b11c1dd99efd57e6c6e5bc4443a019931a5fbd5dd500d48644d8225f5ce0b2cb'],
  ['onnx/model_quantized.onnx', 512096557, '41834041ab1b29eff9fc592f1a29a1844133aea35832ea9fa91682be13016100'],
  ['tokenizer.json', 7031673, 'a8506e7111b80c6d8635951a02eab0f4e1a8e4e5772da83846579e97b16f61bf'],
  ['tokenizer_config.json', 7306, '7e88129d9769a0b14b1587a7d5e829fe93ac0e1511636471fdfc0811951418e6'],
  ['config.json', 678, '777e01f0fbb3346eb229cb6fb278ed6533c1e4dcb9ebf4bed0f6e94ef17fa1b5'],
  ['generation_config.json', 242, 'f7e7ce458658b2d40d9eb213b91b77a8bf698845ab89360976722d7ac46928a3'],
];
const MODEL = 'onnx-community/Qwen2.5-0.5B-Instruct';
const REVISION = 'cc5cc01a65cc3ff17bdb73a7de33d879f62599b0';

test('the default is the known model at the known commit, q4', () => {
  expect(DEFAULT_DOWNLOAD).toEqual({ model: MODEL, revision: REVISION, variant: 'q4' });
});

test.each(KNOWN)('%s has %i bytes and its hash, at that commit alone', (path, bytes, sha256) => {
  expect(pinOf(MODEL, REVISION, path)).toEqual({ bytes, sha256 });
  expect(pinOf(MODEL, '5'.repeat(40), path)).toBeUndefined();
  expect(pinOf('someone/else', REVISION, path)).toBeUndefined();
});

test('nothing is said of the fp32 file, nor of what every object has', () => {
  expect(pinOf(MODEL, REVISION, 'onnx/model.onnx')).toBeUndefined();
  for (const name of ['constructor', '__proto__', 'toString']) {
    expect(pinOf(name, REVISION, 'config.json')).toBeUndefined();
    expect(pinOf(MODEL, name, 'config.json')).toBeUndefined();
    expect(pinOf(MODEL, REVISION, name)).toBeUndefined();
  }
});

test('a listing of the known model is taken with the pins, and a contradiction is refused', () => {
  const listing = listingSchema.parse({
    sha: REVISION,
    siblings: KNOWN.map(([rfilename, size, sha256]) => ({
      rfilename,
      size,
      blobId: '1'.repeat(40),
      ...(size > 10_000 ? { lfs: { sha256, size, pointerSize: 134 } } : {}),
    })),
  });
  const files = chooseFiles(listing, MODEL, 'q4', pinOf);
  expect(files.map(({ path }) => path)).toEqual([
    'config.json',
    'tokenizer.json',
    'tokenizer_config.json',
    'generation_config.json',
    'onnx/model_q4.onnx',
  ]);
  for (const { path, bytes, sha256 } of files) expect(KNOWN).toContainEqual([path, bytes, sha256]);
  for (const sibling of listing.siblings) {
    const changed = { ...sibling, size: (sibling.size ?? 0) + 1, lfs: null };
    const other = { ...listing, siblings: listing.siblings.map((each) => (each === sibling ? changed : each)) };
    const variant = /model_(\w+)\.onnx/.exec(sibling.rfilename)?.[1] ?? 'q4';
    expect(() => chooseFiles(other, MODEL, variant, pinOf)).toThrow(/is not the known file/);
  }
});
