import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InferenceSession } from 'onnxruntime-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { synthesize } from '../../../../main/inference/synthesize.ts';
import { Qwen2Reference } from '../../../reference/qwen2-float64.ts';
import { createSession, decoderFeeds, floats, largestDifference, pastOf } from '../../../support/decoder-runtime.ts';
import { DEMO_FOLDER } from '../../../support/demo.ts';

/** float32 against float64: logits are of size 1 to 10. */
const TOLERANCE = 1e-4;

const scratch = mkdtempSync(join(tmpdir(), 'tokenscope-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe.each([
  ['a synthesized model', join(scratch, 'tiny')],
  ['the demo model', DEMO_FOLDER],
])('%s agrees with the float64 reference', (_, folder) => {
  let session: InferenceSession;
  let reference: Qwen2Reference;

  beforeAll(async () => {
    if (folder !== DEMO_FOLDER) await synthesizeTiny(folder);
    session = await createSession(join(folder, 'onnx/model.onnx'));
    reference = new Qwen2Reference(folder);
  });
  afterAll(() => session.release());

  test('on all positions of a prompt at once', async () => {
    const ids = [7, 1400, 3, 3, 99, 512, 7, 1000, 64, 5, 1201, 40];
    const { logits } = await session.run(decoderFeeds(session, [ids]));
    expect(largestDifference(floats(logits), referenceLogits(reference, ids))).toBeLessThan(TOLERANCE);
  });

  test('token by token with a cache', async () => {
    const ids = [12, 900, 900, 31, 1500, 2];
    let past = {};
    const rows: number[] = [];
    for (const [index, id] of ids.entries()) {
      const mask = [Array.from({ length: index + 1 }, () => 1)];
      const results = await session.run(decoderFeeds(session, [[id]], { mask, positions: [[index]], past }));
      rows.push(...floats(results['logits']));
      past = pastOf(results);
    }
    expect(largestDifference(rows, referenceLogits(reference, ids))).toBeLessThan(TOLERANCE);
  });

  test('far into the context, where small errors of the angles would show', async () => {
    const ids = Array.from({ length: 200 }, (_, index) => (index * 97 + 13) % 1500);
    const { logits } = await session.run(decoderFeeds(session, [ids]));
    expect(largestDifference(floats(logits), referenceLogits(reference, ids))).toBeLessThan(TOLERANCE);
  });

  test('in a batch of rows that are padded on the left', async () => {
    const prompts = [[5, 800, 41], [9, 9, 1100, 1, 77, 300, 2], [1234]];
    const width = 7;
    const padded = prompts.map((prompt) => [...Array.from({ length: width - prompt.length }, () => 1533), ...prompt]);
    const mask = prompts.map((prompt) => padded[0]!.map((_, index) => (index < width - prompt.length ? 0 : 1)));
    const positions = mask.map((row) => row.map((_, index) => Math.max(0, index - row.indexOf(1))));
    const { logits } = await session.run(decoderFeeds(session, padded, { mask, positions }));
    const data = floats(logits);
    const { vocabulary } = reference;
    for (const [row, prompt] of prompts.entries()) {
      const from = (row * width + width - prompt.length) * vocabulary;
      const ours = data.subarray(from, from + prompt.length * vocabulary);
      expect(largestDifference(ours, referenceLogits(reference, prompt))).toBeLessThan(TOLERANCE);
      const pads = width - prompt.length;
      const seen = paddedLogits(reference, padded[row]!, pads).slice(pads * vocabulary);
      expect(largestDifference(ours, seen)).toBeLessThan(TOLERANCE);
    }
    expect(data.every(Number.isFinite)).toBe(true);
  });
});

async function synthesizeTiny(out: string): Promise<void> {
  await synthesize({ preset: 'tiny', config: null, out, seed: 7, force: false, tokenizer_from: DEMO_FOLDER });
}

/** The logits of every position of a prompt, one row after the other. */
function referenceLogits(reference: Qwen2Reference, ids: readonly number[]): number[] {
  return paddedLogits(reference, ids, 0);
}

/** The same behind `pads` tokens that the others do not see. */
function paddedLogits(reference: Qwen2Reference, ids: readonly number[], pads: number): number[] {
  reference.reset();
  return ids.flatMap((id, index) => {
    const visible = Array.from({ length: index + 1 }, (_, at) => index < pads || at >= pads);
    return [...reference.next(id, Math.max(0, index - pads), visible)];
  });
}
