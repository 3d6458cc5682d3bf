import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findModel } from '../../main/model-folder.ts';
import { forkNodeWorker, startWorker } from '../../main/worker-process.ts';
import { synthesize } from '../../main/inference/synthesize.ts';
import type { FromWorker } from '../../shared/messages.ts';
import { DEMO_FOLDER } from '../support/demo.ts';
import { writeSingleFile } from './single-file.ts';

/**
 * Peak memory of the inference process while it loads a model of about 2 GB that is one file: the shape of Qwen2.5-0.5B
 * in float32 with random weights. The process is the built one (npm run build), with the tokenizer and all. Linux only,
 * since the figures are the kernel's: VmHWM, the most that was resident since the process started. Needs 4 GB of disk
 * for a minute. Writes bench-results/load-memory.json.
 */
const BOUND = 300e6;
const RESULTS = join(import.meta.dirname, '../../bench-results');

test('load memory', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tokenscope-load-'));
  try {
    const source = join(folder, 'external');
    const single = join(folder, 'single');
    await synthesize({
      preset: 'qwen2.5-0.5b',
      config: null,
      out: source,
      seed: 1,
      force: false,
      tokenizer_from: DEMO_FOLDER,
    });
    mkdirSync(join(single, 'onnx'), { recursive: true });
    for (const name of ['config.json', 'generation_config.json', 'tokenizer.json', 'tokenizer_config.json']) {
      writeFileSync(join(single, name), readFileSync(join(source, name)));
    }
    writeSingleFile(join(source, 'onnx/model.onnx'), join(single, 'onnx/model.onnx'));
    rmSync(source, { recursive: true });

    const model = await findModel(single);
    const host = forkNodeWorker();
    const worker = startWorker(host);
    worker.post({ type: 'load', folder: model, threads: null, device: 'cpu' });
    await worker.until((message): message is Extract<FromWorker, { type: 'loaded' }> => message.type === 'loaded');
    const memory = memoryOf(host.pid ?? 0);
    await worker.quit();

    const file = statSync(join(single, 'onnx/model.onnx')).size;
    const result = { file_bytes: file, ...memory, over_file_bytes: memory.peak_bytes - file, bound_bytes: BOUND };
    const mb = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
    console.log(
      `file ${mb(file)}, peak ${mb(memory.peak_bytes)} (file + ${mb(result.over_file_bytes)}); loaded: ${mb(memory.anonymous_bytes)} own, ${mb(memory.mapped_bytes)} mapped`,
    );
    mkdirSync(RESULTS, { recursive: true });
    writeFileSync(join(RESULTS, 'load-memory.json'), `${JSON.stringify(result, null, 2)}\n`);
    expect(result.over_file_bytes).toBeLessThan(BOUND);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

function memoryOf(pid: number) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? Number.NaN) * 1024;
  return { peak_bytes: field('VmHWM'), anonymous_bytes: field('RssAnon'), mapped_bytes: field('RssFile') };
}
