import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { ModelProtoSchema } from 'onnx-buf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseRecordValue } from '../../shared/parse-record.ts';
import type { TraceRecord } from '../../shared/record.ts';
import { STANDARD_SUITE } from '../../shared/standard-suite.ts';
import { CLI, isOneLine, runCli } from '../support/cli.ts';
import { DEMO_FOLDER } from '../support/demo.ts';
import { acceptedByReference } from '../support/reference-rules.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tokenscope-run-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function readRecord(path: string): Promise<TraceRecord> {
  const result = parseRecordValue(JSON.parse(await readFile(path, 'utf8')));
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.record;
}

async function planFile(name: string, plan: unknown): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, typeof plan === 'string' ? plan : JSON.stringify(plan));
  return path;
}

describe('run', () => {
  test('the standard suite on the demo model: a record that both analyzers accept', async () => {
    const path = join(folder, 'suite.json');
    const ran = await runCli(['run', '--output', path, '--threads', '1']);
    expect(ran.stderr).toBe(`saved ${path}\n`);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain('short_cached waited');

    const record = await readRecord(path);
    expect(acceptedByReference(JSON.parse(await readFile(path, 'utf8')))).toBe(true);
    expect(record).toMatchObject({
      schema_version: 1,
      status: 'complete',
      environment: { device: 'cpu', host: 'node', threads: 1, execution_provider: 'CPUExecutionProvider' },
      model: {
        parameters: 985_216,
        weight_bytes: 3_940_864,
        layers: 4,
        kv_heads: 2,
        head_dim: 32,
        kv_bytes_per_token: 2048,
        weights: 'trained',
      },
      generation: { strategy: 'greedy argmax', max_new_tokens: 24, do_sample: false, warmup_tokens: 4 },
      warmup: { generated_tokens: 4 },
      load: { reused: false },
    });
    expect(record.source_sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(record.model.files!.map((file) => file.path)).toContain('onnx/model.onnx');
    expect(record.runs.map((run) => [run.name, run.samples.length])).toEqual(
      STANDARD_SUITE.runs.map((run) => [run.name, 3]),
    );
    expect(record.batch_sweep.map((batch) => batch.batch_size)).toEqual([1, 2, 4]);
    expect(record.prefix_reuse!.same_greedy_next_token).toBe(true);
    const texts = record.runs
      .filter((run) => run.name !== 'cancelled')
      .flatMap((run) => run.samples.map((s) => s.text));
    expect(new Set(texts).size).toBe(1);

    const json = await runCli(['analyze', '--format', 'json', path]);
    expect(json).toMatchObject({ code: 0, stderr: '' });
    const summary = JSON.parse(json.stdout) as { comparisons: Record<string, unknown> };
    expect(Object.keys(summary)).toEqual([
      'execution_mode',
      'model',
      'generation',
      'comparisons',
      'batch_sweep',
      'prefix_reuse',
    ]);
    for (const run of record.runs) {
      expect(summary.comparisons[run.name]).toEqual({
        samples: 3,
        median_ttft_ms: run.median_ttft_ms,
        median_tpot_ms: run.median_tpot_ms,
      });
    }
  });

  test('a plan of one’s own, to standard output and nothing else there', async () => {
    const plan = await planFile('own.json', {
      name: 'own',
      threads: 1,
      warmup: null,
      runs: [{ name: 'once', prompt: 'Hi', repeats: 1, max_new_tokens: 3, chunk_size: 5, logits: 'all' }],
    });
    const ran = await runCli(['run', '--plan', plan, '--output', '-']);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    const result = parseRecordValue(JSON.parse(ran.stdout));
    expect(result).toMatchObject({
      ok: true,
      record: {
        warmup: null,
        batch_sweep: [],
        prefix_reuse: null,
        plan: { name: 'own' },
        runs: [{ name: 'once', samples: [{ max_new_tokens: 3, chunk_size: 5, logits: 'all' }] }],
      },
    });
  });

  test('the int8 variant, chosen by its file', async () => {
    const plan = await planFile('int8.json', { runs: [{ name: 'r', prompt: 'Hi', repeats: 1, max_new_tokens: 2 }] });
    const ran = await runCli(['run', '--graph', 'model_int8.onnx', '--plan', plan, '--output', '-']);
    expect(ran.code).toBe(0);
    expect(parseRecordValue(JSON.parse(ran.stdout))).toMatchObject({
      record: { model: { dtype: 'int8', parameters: 985_216, graph: 'onnx/model_int8.onnx' } },
    });
  });

  test('does not overwrite, unless told to', async () => {
    const plan = await planFile('small.json', { runs: [{ name: 'r', prompt: 'Hi', repeats: 1, max_new_tokens: 1 }] });
    const path = join(folder, 'kept.json');
    await writeFile(path, 'mine');
    const refused = await runCli(['run', '--plan', plan, '--output', path]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/kept\.json: exists already \(use --force to replace it\)/);
    expect(isOneLine(refused.stderr)).toBe(true);
    expect(await readFile(path, 'utf8')).toBe('mine');
    expect((await runCli(['run', '--plan', plan, '--output', path, '--force'])).code).toBe(0);
    expect((await readRecord(path)).status).toBe('complete');
  });
});

describe('Ctrl-C', () => {
  test('ends at the next token, keeps what was measured and marks it cancelled', async () => {
    const plan = await planFile('endless.json', {
      runs: [{ name: 'endless', prompt: 'Explain a cache in one sentence.', repeats: 1000, max_new_tokens: 400 }],
    });
    const path = join(folder, 'cancelled.json');
    // A real terminal, so that the progress tells when to press Ctrl-C and the key reaches the whole process group.
    const command = [process.execPath, CLI, 'run', '--plan', plan, '--output', path]
      .map((word) => `'${word}'`)
      .join(' ');
    const terminal = spawn('script', ['-qefc', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'ignore'] });
    let screen = '';
    let pressed = false;
    terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
      screen += text;
      // The line is redrawn now and then only, so any sample from the fifth on will do.
      if (!pressed && /sample ([5-9]|\d\d+) of 1000/.test(screen)) {
        pressed = true;
        terminal.stdin.write('\u0003');
      }
    });
    const code = await new Promise((resolve) => terminal.on('close', resolve));
    expect(code).toBe(130);
    expect(screen).toContain('cancelled');
    const record = await readRecord(path);
    expect(record.status).toBe('cancelled');
    const [run] = record.runs;
    expect(run!.samples.length).toBeGreaterThanOrEqual(4);
    expect(run!.samples.length).toBeLessThan(1000);
    expect((await runCli(['analyze', path])).code).toBe(0);
  });
});

describe('refused with one line, exit 1 and nothing written', () => {
  const plans: [string, unknown, RegExp][] = [
    ['a plan that is not JSON', '{"runs": [', /is not JSON/],
    ['a plan without runs', {}, /runs/],
    ['a plan with no run in it', { runs: [] }, /runs must name at least one run/],
    ['an empty prompt', { runs: [{ name: 'a', prompt: '  ' }] }, /runs\[0\]\.prompt: prompt must not be empty/],
    [
      'a cap of 0',
      { runs: [{ name: 'a', prompt: 'x', max_new_tokens: 0 }] },
      /runs\[0\]\.max_new_tokens: .*at least 1/,
    ],
    [
      'chunks without a cache',
      { runs: [{ name: 'a', prompt: 'x', chunk_size: 4, use_cache: false }] },
      /chunk_size needs use_cache/,
    ],
    [
      'two runs of one name',
      {
        runs: [
          { name: 'a', prompt: 'x' },
          { name: 'a', prompt: 'y' },
        ],
      },
      /runs\[1\]\.name: two runs share the name "a"/,
    ],
    ['a field that no plan has', { runs: [{ name: 'a', prompt: 'x', max_tokens: 5 }] }, /max_tokens/],
    ['a newer plan', { plan_version: 2, runs: [{ name: 'a', prompt: 'x' }] }, /plan_version must be 1/],
    [
      'more tokens than the context holds',
      { runs: [{ name: 'a', prompt: 'x', max_new_tokens: 5000 }] },
      /runs\[0\]\.max_new_tokens: .*context holds 2048/,
    ],
  ];
  test.each(plans)('%s', async (_, plan, reason) => {
    const path = join(folder, 'never.json');
    const ran = await runCli(['run', '--plan', await planFile('bad.json', plan), '--output', path]);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(reason);
    expect(isOneLine(ran.stderr)).toBe(true);
    await expect(stat(path)).rejects.toThrow('ENOENT');
  });

  const models: [string, (model: string) => Promise<void>, RegExp][] = [
    ['a folder without a tokenizer', (model) => rm(join(model, 'tokenizer.json')), /tokenizer\.json is missing/],
    ['a folder without a config', (model) => rm(join(model, 'config.json')), /config\.json is missing/],
    ['a config that is not JSON', (model) => writeFile(join(model, 'config.json'), '{'), /config\.json: is not JSON/],
    [
      'a folder without a graph',
      (model) => rm(join(model, 'onnx'), { recursive: true }),
      /onnx\/model\.onnx is missing/,
    ],
    ['a truncated graph', (model) => truncate(join(model, 'onnx/model.onnx'), 1_000_000), /model\.onnx/],
    ['an empty graph', (model) => truncate(join(model, 'onnx/model.onnx'), 0), /model\.onnx/],
    [
      'a graph that is text',
      (model) => writeFile(join(model, 'onnx/model.onnx'), 'not a graph'.repeat(100)),
      /model\.onnx/,
    ],
    [
      'a tokenizer that is not JSON',
      (model) => writeFile(join(model, 'tokenizer.json'), '{"a"'),
      /tokenizer cannot be read/,
    ],
    [
      'a graph with an input that nobody feeds',
      renamePositionIds,
      /unknown signature: nobody feeds the input "token_type_ids"/,
    ],
  ];
  test.each(models)('%s', async (name, spoil, reason) => {
    const model = join(folder, name.replaceAll(' ', '-'));
    await mkdir(model);
    await cp(DEMO_FOLDER, model, { recursive: true });
    await spoil(model);
    const path = join(folder, 'never.json');
    const before = (await readdir(model)).length;
    const ran = await runCli(['run', '--model', model, '--output', path]);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(reason);
    expect(isOneLine(ran.stderr)).toBe(true);
    await expect(stat(path)).rejects.toThrow('ENOENT');
    expect(await readdir(model)).toHaveLength(before);
  });

  test.each([
    ['no such folder', ['run', '--model', '/nowhere/at/all'], /there is no such folder/],
    ['a file for a folder', ['run', '--model', CLI], /is a file, a model is a folder/],
    ['a graph that is not there', ['run', '--graph', 'model_q4.onnx'], /has no model_q4\.onnx/],
    ['a plan that is not there', ['run', '--plan', '/nowhere/plan.json'], /no such file/],
    ['a plan that is a folder', ['run', '--plan', tmpdir()], /is not a file/],
  ])('%s', async (_, args, reason) => {
    const ran = await runCli(args);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(reason);
    expect(isOneLine(ran.stderr)).toBe(true);
  });
});

test.each([
  [['run', '--threads', '0']],
  [['run', '--threads', 'many']],
  [['analyze']],
  [['nonsense']],
  [['synthesize']],
])('wrong usage is exit 2: %j', async (args) => {
  const ran = await runCli(args);
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).not.toBe('');
});

/** A graph that wants something nobody gives it. */
async function renamePositionIds(model: string): Promise<void> {
  const path = join(model, 'onnx/model.onnx');
  const graph = fromBinary(ModelProtoSchema, await readFile(path));
  for (const input of graph.graph!.input) if (input.name === 'position_ids') input.name = 'token_type_ids';
  for (const node of graph.graph!.node)
    node.input = node.input.map((name) => (name === 'position_ids' ? 'token_type_ids' : name));
  await writeFile(path, toBinary(ModelProtoSchema, graph));
}
