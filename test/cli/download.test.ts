import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findModel } from '../../main/model-folder.ts';
import { TokenscopeError } from '../../shared/errors.ts';
import type { TraceRecord } from '../../shared/record.ts';
import { CLI, isOneLine } from '../support/cli.ts';
import { DEMO_FOLDER } from '../support/demo.ts';
import { filesIn } from '../support/download.ts';
import { COMMIT, Hub, type HubFile, sha256, tinyModel } from '../support/hub.ts';
import { temporaryFolder } from '../support/temporary.ts';

const GRAPH = 'onnx/model_q4.onnx';
const TOKEN = 'hf_ThisMustNotBeSeen';
/** Counted in events on the folder: from its first file to the last ones, which are the lock's. */
const KILLED_AT = [1, 3, 8, 15, 22, 30, 38, 42, 44, 46, 48, 50];
const root = temporaryFolder();
let count = 0;
let folder: string;
let hub: Hub;
beforeEach(async () => {
  count += 1;
  folder = join(root, `model-${count}`);
  hub = await Hub.start(tinyModel());
  hub.token = TOKEN;
});
afterEach(() => hub.close());

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

function start(args: readonly string[], token = TOKEN) {
  const child = spawn(process.execPath, [CLI, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, HF_ENDPOINT: hub.endpoint, HF_TOKEN: token, TOKENSCOPE_DATA_DIR: join(root, 'data') },
  });
  const ended: Ended = { code: null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (ended.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (ended.stderr += text));
  const end = once(child, 'close').then(([code]): Ended => {
    expect(ended.stdout + ended.stderr).not.toContain(TOKEN);
    return { ...ended, code: code as number | null };
  });
  return { child, end };
}

const request = (variant = 'q4') => ['download', '--model', hub.model, '--variant', variant, '--destination', folder];

/** Whole, verified, with nothing beside it; and the token went to the hub alone. */
async function expectComplete(files: ReadonlyMap<string, HubFile> = hub.files): Promise<void> {
  const found = filesIn(folder);
  expect(found).toContain('model.lock.json');
  for (const path of found.filter((path) => path !== 'model.lock.json')) {
    expect(readFileSync(join(folder, path)).equals(files.get(path)!.content)).toBe(true);
  }
  await findModel(folder);
  expect(hub.requests.every(({ server, authorization }) => (server === 'hub') === (authorization !== undefined))).toBe(
    true,
  );
}

/** After an end at any moment: a whole model, or one that no command takes for a model. */
async function expectNeverHalf(): Promise<boolean> {
  if (existsSync(join(folder, 'model.lock.json'))) {
    await findModel(folder);
    return true;
  }
  await expect(findModel(folder)).rejects.toThrow(TokenscopeError);
  return false;
}

describe('download', () => {
  test('prints the folder and nothing else on standard output, and what it resolved on the other', async () => {
    const { code, stdout, stderr } = await start(request()).end;
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${folder}\n` });
    expect(stderr).toBe(`tiny/decoder, q4: main is ${COMMIT}, 8 files, 310 kB, licence apache-2.0\n`);
    await expectComplete();
    const again = await start(request()).end;
    expect(again).toEqual({
      code: 0,
      stdout: `${folder}\n`,
      stderr: `tiny/decoder at ${COMMIT} is there already, and every hash is right\n`,
    });
  });

  test('draws its progress on a terminal', async () => {
    const command = [process.execPath, CLI, ...request()].map((word) => `'${word}'`).join(' ');
    const terminal = spawn('script', ['-qefc', command, '/dev/null'], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, HF_ENDPOINT: hub.endpoint, HF_TOKEN: TOKEN },
    });
    let screen = '';
    terminal.stdout.setEncoding('utf8').on('data', (text: string) => (screen += text));
    expect((await once(terminal, 'close'))[0]).toBe(0);
    expect(screen).toMatch(/100%|\d+%/);
    expect(screen).toContain(`${folder}\r\n`);
    expect(screen).not.toContain(TOKEN);
    await expectComplete();
  });

  test('Ctrl-C keeps what arrived, says so and exits with 130', async () => {
    hub.script = [{ on: 'cdn', path: GRAPH, fault: { kind: 'stall', after: 60_000 } }];
    const { child, end } = start(request());
    hub.onStall = () => child.kill('SIGINT');
    expect(await end).toMatchObject({
      code: 130,
      stdout: '',
      stderr: expect.stringMatching(/cancelled: what arrived is kept, the same command goes on from there\n$/),
    });
    expect(await expectNeverHalf()).toBe(false);
    const sent = hub.requests.length;
    expect((await start(request()).end).code).toBe(0);
    await expectComplete();
    expect(hub.requests.slice(sent).some(({ file }) => file === 'config.json')).toBe(false);
  });

  test.each<[string, string[], RegExp]>([
    [
      'an unknown variant',
      ['--variant', 'int4'],
      /tiny\/decoder: there is no variant "int4" \(it has fp32, q4, q4f16\)/,
    ],
    ['an unknown model', ['--model', 'tiny/none'], /there is no such model, or it has no revision main \(404\)/],
    ['a name that is none', ['--model', '../../etc'], /is not the name of a model/],
  ])('refuses %s with one line', async (_, args, reason) => {
    const ended = await start([...request(), ...args]).end;
    expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(reason) });
    expect(isOneLine(ended.stderr)).toBe(true);
    expect(existsSync(folder)).toBe(false);
  });

  test('refuses a token that is not accepted with one line, in which it is not', async () => {
    const ended = await start(request(), 'hf_wrong').end;
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(isOneLine(ended.stderr)).toBe(true);
    expect(ended.stderr).not.toContain('hf_wrong');
  });

  test('by two processes into one folder: the second is refused and does no harm', async () => {
    hub.script = [{ on: 'cdn', path: GRAPH, fault: { kind: 'stall', after: 10_000 } }];
    const stalled = new Promise<void>((resolve) => {
      hub.onStall = resolve;
    });
    const first = start(request());
    await stalled;
    const second = await start(request()).end;
    expect(second).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`another download is at work in this folder (process ${first.child.pid})`),
    });
    first.child.kill('SIGKILL');
    await first.end;
    // The lock of a process that was killed stays behind, and is nobody's.
    expect((await start(request()).end).code).toBe(0);
    await expectComplete();
  });
});

describe('killed', () => {
  test('again and again in the middle of its bytes, it goes on from where each one ended', async () => {
    const files = [...hub.files].filter(([path]) => path.startsWith('onnx/model_q4.onnx') || path === 'tokenizer.json');
    const positions = files.flatMap(([path, { content }]) =>
      [0, 1000, 65_537, content.length - 1].filter((at) => at < content.length).map((at) => ({ path, at })),
    );
    const transferred = new Map<string, number>();
    for (const { path, at } of positions) {
      const partPath = join(folder, `${path}.part`);
      hub.requests.length = 0;
      const before = existsSync(partPath) ? readFileSync(partPath).length : 0;
      hub.script = [{ on: 'cdn', path, fault: { kind: 'stall', after: Math.max(0, at - before) } }];
      const { child, end } = start(request());
      hub.onStall = () => child.kill('SIGKILL');
      expect((await end).code).toBeNull();
      expect(await expectNeverHalf()).toBe(false);
      const asked = hub.transfers(path)[0]!.range;
      expect(asked).toBe(before === 0 ? undefined : `bytes=${before}-`);
      transferred.set(path, readFileSync(partPath).length);
      expect(transferred.get(path)).toBeGreaterThanOrEqual(before);
    }
    expect((await start(request()).end).code).toBe(0);
    await expectComplete();
    expect(filesIn(folder).filter((path) => /\.part$|\.lock$|\.tmp$|model\.download/.test(path))).toEqual([]);
  });

  test('at any step on the disk: nothing loads that is not whole, and the next one ends well', async () => {
    let whole = 0;
    for (const nth of KILLED_AT) {
      folder = join(root, `steps-${nth}`);
      await mkdir(join(folder, 'onnx'), { recursive: true });
      const { child, end } = start([...request(), '--force']);
      let events = 0;
      const step = () => {
        events += 1;
        if (events === nth) child.kill('SIGKILL');
      };
      const watchers = [watch(folder, step), watch(join(folder, 'onnx'), step)];
      await end;
      for (const watcher of watchers) watcher.close();
      if (await expectNeverHalf()) whole += 1;
      const { code, stderr } = await start(request()).end;
      // Before the marker the folder is one with an empty folder in it: a person's, which is not touched.
      if (code === 1) expect(stderr).toContain('the folder holds 1 other files or folders');
      else await expectComplete();
    }
    expect(whole).toBeLessThan(KILLED_AT.length);
  });
});

describe('verify and run', () => {
  beforeEach(async () => {
    await hub.close();
    const files = Object.fromEntries(
      filesIn(DEMO_FOLDER).map((path) => [
        path,
        { content: readFileSync(join(DEMO_FOLDER, path)), lfs: path.endsWith('x') },
      ]),
    );
    hub = await Hub.start(files);
    hub.token = TOKEN;
  });

  test('a downloaded model is verified, and its record says which it is; a damaged one is refused by both', async () => {
    expect((await start(request('int8')).end).code).toBe(0);
    const quick = await start(['verify', folder]).end;
    expect(quick).toMatchObject({ code: 0, stderr: 'sizes are right; --hashes also reads every byte\n' });
    expect(quick.stdout).toMatch(/onnx\/model_int8\.onnx +[\d,]+ +size right\n/);
    const full = await start(['verify', folder, '--hashes']).end;
    expect(full).toMatchObject({ code: 0, stderr: '' });
    expect(full.stdout).toMatch(/onnx\/model_int8\.onnx +[\d,]+ +size and sha256 right\n/);

    const plan = join(root, 'plan.json');
    writeFileSync(plan, JSON.stringify({ runs: [{ name: 'r', prompt: 'Hi', repeats: 1, max_new_tokens: 2 }] }));
    const ran = await start(['run', '--model', folder, '--plan', plan, '--output', '-']).end;
    expect(ran.code).toBe(0);
    const { model } = JSON.parse(ran.stdout) as TraceRecord;
    expect(model).toMatchObject({
      id: 'tiny/decoder',
      revision: COMMIT,
      license: 'apache-2.0',
      graph: 'onnx/model_int8.onnx',
    });

    const graph = join(folder, 'onnx/model_int8.onnx');
    const content = readFileSync(graph);
    const right = sha256(content);
    content[1000]! ^= 1;
    writeFileSync(graph, content);
    for (const command of [
      ['verify', folder, '--hashes'],
      ['run', '--model', folder, '--plan', plan],
    ]) {
      const refused = await start(command).end;
      expect(refused.code).toBe(1);
      expect(isOneLine(refused.stderr)).toBe(true);
      expect(refused.stderr).toContain(
        `${graph}: has sha256 ${sha256(content)}, model.lock.json says ${right} (get it again: tokenscope download --model tiny/decoder`,
      );
    }
    expect((await start(request('int8')).end).code).toBe(0);
    expect((await start(['verify', folder, '--hashes']).end).code).toBe(0);
  });

  test('a folder that nobody downloaded has nothing to verify', async () => {
    await cp(DEMO_FOLDER, folder, { recursive: true });
    const { code, stderr } = await start(['verify', folder]).end;
    expect(code).toBe(1);
    expect(stderr).toMatch(/has no model\.lock\.json/);
  });
});
