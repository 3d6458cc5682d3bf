import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'vitest';
import { type LoadedModel, runRequest } from '../../main/inference/decoder.ts';
import { loadModel } from '../../main/inference/load-model.ts';
import { synthesize } from '../../main/inference/synthesize.ts';
import { findModel } from '../../main/model-folder.ts';
import type { Sample } from '../../shared/record.ts';
import { mean, median } from '../../shared/statistics.ts';
import { DEMO_FOLDER, request } from '../support/demo.ts';
import { bareLoop } from './bare-loop.ts';
import { compareSteps } from './lockstep.ts';
import { comparePairs, type PairResult } from './pairs.ts';
import { promptOf } from './prompts.ts';
import { readBandwidth } from './read-bandwidth.ts';
import { loadGenerate } from './transformers-generate.ts';

/**
 * What our decoder costs and saves, in one process, each pair measured in turn. Ratios first: the machine is noisy, its
 * absolute times are not the point. Writes bench-results/inference.json. Environment: BENCH_PAIRS (default 15),
 * BENCH_MODELS (demo,qwen2.5-0.5b), BENCH_THREADS.
 */
const PAIRS = Number(process.env['BENCH_PAIRS'] ?? 15);
const MODELS = (process.env['BENCH_MODELS'] ?? 'demo,qwen2.5-0.5b').split(',');
const THREADS = process.env['BENCH_THREADS'] === undefined ? null : Number(process.env['BENCH_THREADS']);
const RESULTS = join(import.meta.dirname, '../../bench-results');

interface Row extends PairResult {
  model: string;
}

async function sample(model: LoadedModel, change: Parameters<typeof request>[1] & { prompt: string }): Promise<Sample> {
  const result = await runRequest(model, request(change.prompt, change));
  if (result.kind !== 'sample') throw new Error('stopped');
  return result.sample;
}

async function folderOf(name: string): Promise<string> {
  if (name === 'demo') return DEMO_FOLDER;
  const out = join(tmpdir(), 'tokenscope-bench', name);
  if (!existsSync(out)) {
    mkdirSync(join(out, '..'), { recursive: true });
    await synthesize({ preset: name, config: null, out, seed: 1, force: false, tokenizer_from: DEMO_FOLDER });
  }
  return out;
}

test('inference', async () => {
  const rows: Row[] = [];
  const floors: object[] = [];
  for (const name of MODELS) {
    const isDemo = name === 'demo';
    const directory = await folderOf(name);
    const folder = { ...(await findModel(directory)), eosTokenIds: [] };
    const { model } = await loadModel(folder, { threads: THREADS });
    const { session, tokenizer } = model;
    const short = promptOf(tokenizer, 44);
    const long = promptOf(tokenizer, 263);
    const steps = isDemo ? 200 : 12;
    const show = (result: PairResult) => {
      const row = { model: name, ...result };
      rows.push(row);
      console.log(
        `${name.padEnd(14)} ${row.name.padEnd(44)} ${row.ratio.toFixed(3)} [${row.ratioP25.toFixed(3)}, ${row.ratioP75.toFixed(3)}]  ${row.firstMs.toFixed(2)} / ${row.secondMs.toFixed(2)} ms, ${row.pairs} pairs`,
      );
    };
    const measure = async (what: string, first: () => Promise<number>, second: () => Promise<number>) =>
      show(await comparePairs(what, PAIRS, first, second));

    const prompt44 = tokenizer.encodePrompt(short);
    const tpot = async () => (await sample(model, { prompt: short, max_new_tokens: steps })).tpot_ms ?? Number.NaN;
    // The one figure where a percent matters: step against step, not request against request.
    const paired = isDemo ? 200 : 40;
    const reply = (await sample(model, { prompt: short, max_new_tokens: paired })).generated_token_ids;
    show(
      await compareSteps(
        '(a) decoder / bare loop, a decode step',
        PAIRS,
        model,
        (gated) => sample(gated, { prompt: short, max_new_tokens: paired }),
        (gated) => bareLoop(gated, prompt44, reply),
      ),
    );

    for (const [tokens, prompt] of [
      [44, short],
      [263, long],
    ] as const) {
      const ttft = (logits: 'last' | 'all') => async () =>
        (await sample(model, { prompt, max_new_tokens: 1, logits })).ttft_ms;
      await measure(`(b) logits last / all, TTFT, ${tokens} tokens`, ttft('last'), ttft('all'));
    }

    const cacheSteps = isDemo ? 24 : 4;
    const withCache = (use_cache: boolean) => async () =>
      (await sample(model, { prompt: short, max_new_tokens: cacheSteps, use_cache })).tpot_ms ?? Number.NaN;
    await measure('(c) cached / uncached, TPOT', withCache(true), withCache(false));

    const generate = await loadGenerate(directory, !isDemo, session.threads);
    const theirs = async (prompt: string, count: number, figure: 'ttft' | 'tpot') => {
      const at = await generate(prompt, count);
      if (figure === 'ttft') return at[0] ?? Number.NaN;
      return mean(at.slice(1).map((stamp, index) => stamp - (at[index] ?? 0)));
    };
    await measure(
      '(d) ours / transformers.js, TTFT, 263 tokens',
      async () => (await sample(model, { prompt: long, max_new_tokens: 1 })).ttft_ms,
      () => theirs(long, 1, 'ttft'),
    );
    await measure('(d) ours / transformers.js, TPOT', tpot, () => theirs(short, steps, 'tpot'));

    const tpots: number[] = [];
    for (let round = 0; round < 5; round++) tpots.push(await tpot());
    const bandwidth = await readBandwidth(session.threads);
    const floorMs = (session.graph.weightBytes / bandwidth) * 1000;
    const floor = {
      model: name,
      threads: session.threads,
      tpot_ms: median(tpots),
      floor_ms: floorMs,
      ratio: median(tpots) / floorMs,
      bandwidth,
    };
    floors.push(floor);
    console.log(
      `${name.padEnd(14)} (e) TPOT / memory floor: ${floor.ratio.toFixed(2)} (${floor.tpot_ms.toFixed(2)} ms / ${floorMs.toFixed(2)} ms at ${(bandwidth / 1e9).toFixed(1)} GB/s, ${session.threads} threads)`,
    );
    await session.release();
  }
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, 'inference.json'), `${JSON.stringify({ pairs: PAIRS, rows, floors }, null, 2)}\n`);
});
