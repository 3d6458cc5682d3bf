import { spawn } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reportFile } from '../../main/report.ts';
import { RECORD_ELEMENT } from '../../main/report-html.ts';
import { parseRecordValue } from '../../shared/parse-record.ts';
import type { TraceRecord } from '../../shared/record.ts';
import { summarizeRecord } from '../../shared/summarize.ts';
import { CLI, isOneLine, runCli } from '../support/cli.ts';
import { decodePng } from '../support/png.ts';
import { LIVE_RUN, liveRun } from '../support/records.ts';
import { EXTREME, hugeRecord } from '../support/report-records.ts';

const RECORD = LIVE_RUN.pathname;

interface Found {
  json: string;
  scripts: number;
  foreign: number;
  fonts: string[];
  policy: string;
  overflow: boolean;
  texts: number;
}

/** What a page holds. As text: the tests' TypeScript does not know the DOM. */
const LOOK = `document.fonts.ready.then(() => ({
  json: document.getElementById('${RECORD_ELEMENT}').textContent,
  scripts: document.querySelectorAll('script').length,
  foreign: document.querySelectorAll('img, iframe, object, embed, a, link').length,
  fonts: [...document.fonts].map((font) => [font.family, font.weight, font.status].join(' ')),
  policy: document.querySelector('meta[http-equiv]').content,
  overflow: document.documentElement.scrollWidth > document.documentElement.clientWidth,
  texts: document.querySelectorAll('svg text').length,
}))`;

let folder: string;
let browser: Browser;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tokenscope-report-'));
  browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    args: ['--no-sandbox', '--disable-gpu', '--no-zygote'],
  });
});
afterAll(async () => {
  await browser.close();
  await rm(folder, { recursive: true });
});

async function saved(name: string, record: TraceRecord): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, JSON.stringify(record));
  return path;
}

describe('report', () => {
  test.each(['png', 'svg', 'html'] as const)('%s: the bytes that the window gets too', async (format) => {
    const path = join(folder, `live.${format}`);
    const ran = await runCli(['report', RECORD, '--output', path, '--theme', 'dark']);
    expect(ran).toEqual({ code: 0, stdout: '', stderr: `saved ${path}\n` });
    const record = liveRun();
    const result = summarizeRecord(record);
    if (!result.ok) throw new Error('refused');
    const content = await reportFile({ record, summary: result.summary, theme: 'dark' }, format);
    expect(Buffer.compare(await readFile(path), Buffer.from(content as Uint8Array))).toBe(0);
  });

  test('the scale is that of the picture', async () => {
    const path = join(folder, 'half.png');
    expect((await runCli(['report', RECORD, '--output', path, '--scale', '0.5'])).code).toBe(0);
    expect(decodePng(await readFile(path)).width).toBe(600);
  });

  test('refuses in one line, and writes nothing', async () => {
    const kept = join(folder, 'kept.png');
    await writeFile(kept, 'mine');
    const broken = join(folder, 'broken.json');
    await writeFile(broken, '{"runs": [');
    const before = await readdir(folder);
    for (const [args, reason] of [
      [['report', RECORD, '--output', kept], /kept\.png: exists already \(use --force/],
      [
        ['report', RECORD, '--output', join(folder, 'x.pdf')],
        /x\.pdf: the name of a report ends in \.png, \.svg, \.html/,
      ],
      [
        ['report', RECORD, '--output', join(folder, 'x.png'), '--scale', '16'],
        /scale: the picture would have 19,200 x .* pixels/,
      ],
      [['report', broken, '--output', join(folder, 'x.png')], /broken\.json: /],
      [['report', join(folder, 'none.json'), '--output', join(folder, 'x.png')], /none\.json: there is no such file/],
      [['report', RECORD, '--output', join(folder, 'no/x.png')], /the folder to write into does not exist/],
    ] as const) {
      const ran = await runCli(args);
      expect(ran).toMatchObject({ code: 1, stdout: '' });
      expect(ran.stderr).toMatch(reason);
      expect(isOneLine(ran.stderr)).toBe(true);
    }
    expect(await readdir(folder)).toEqual(before);
    expect(await readFile(kept, 'utf8')).toBe('mine');
    expect((await runCli(['report', RECORD, '--output', kept, '--force'])).code).toBe(0);
    expect((await stat(kept)).size).toBeGreaterThan(10_000);
  });

  test.each([
    ['the reference record', liveRun()],
    ['a hostile one', EXTREME],
    ['a long one', hugeRecord()],
  ])('the page of %s opens without a network, runs nothing, and holds its record', async (name, record) => {
    const path = join(folder, `${name.replaceAll(' ', '-')}.html`);
    expect((await runCli(['report', await saved('record.json', record), '--output', path])).code).toBe(0);
    const context = await browser.newContext({ offline: true });
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('console', (message) => problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('dialog', (dialog) => problems.push(`dialog: ${dialog.message()}`));
    page.on('request', (request) => {
      if (!request.url().startsWith('file:') && !request.url().startsWith('data:font/')) problems.push(request.url());
    });
    await page.goto(pathToFileURL(path).href);
    const found = await page.evaluate<Found>(LOOK);
    await context.close();
    expect(problems).toEqual([]);
    expect(found).toMatchObject({
      scripts: 1,
      foreign: 0,
      overflow: false,
      fonts: ['Inter 400 loaded', 'Inter 600 loaded'],
    });
    expect(found.policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[^;]*; font-src data:; base-uri 'none'; form-action 'none'$/,
    );
    expect(found.texts).toBeGreaterThan(20);
    const parsed = parseRecordValue(JSON.parse(found.json));
    expect(parsed).toMatchObject({ ok: true });
    expect(JSON.parse(found.json)).toEqual(JSON.parse(JSON.stringify(record)));
  });

  test('the SVG opens in a browser without a complaint', async () => {
    const path = join(folder, 'own.svg');
    await runCli(['report', await saved('record.json', EXTREME), '--output', path, '--force']);
    const page = await browser.newPage();
    await page.goto(pathToFileURL(path).href);
    const root = await page.evaluate<string>('document.documentElement.outerHTML');
    await page.close();
    expect(root).toMatch(/^<svg /);
    expect(root).not.toContain('parsererror');
  });
});

describe('compare', () => {
  const compare = (...args: string[]) => runCli(['compare', ...args]);

  test('exit 0: cached against uncached, and a record against itself', async () => {
    const ran = await compare(RECORD, '--run', 'short_cached', '--with', 'short_without_cache');
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain('One thing differs, KV cache');
    const same = await compare(RECORD, RECORD, '--format', 'json');
    expect(same.code).toBe(0);
    const { comparisons } = JSON.parse(same.stdout) as {
      comparisons: { standing: string; metrics: { verdict: string }[] }[];
    };
    expect(comparisons).toHaveLength(5);
    for (const { standing, metrics } of comparisons) {
      expect(standing).toBe('comparable');
      expect(new Set(metrics.map(({ verdict }) => verdict))).toEqual(new Set(['not distinguishable']));
    }
    expect((await compare(RECORD, RECORD, '--fail-if-slower', '0')).code).toBe(0);
  });

  test('a different question: 0 to look at, 4 as a gate', async () => {
    const args = [RECORD, '--run', 'short_cached', '--with', 'long_cached'];
    const ran = await compare(...args, '--format', 'markdown');
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain('answers a different question');
    expect((await compare(...args, '--fail-if-slower', '10')).code).toBe(4);
  });

  test('exit 4: another loop, another cap, or a run that is missing', async () => {
    expect((await compare(RECORD, '--run', 'short_cached', '--with', 'batch_sweep[1]')).code).toBe(4);
    expect((await compare(RECORD, '--run', 'short_cached', '--with', 'cancelled')).code).toBe(4);
    const fewer = liveRun();
    fewer.runs.pop();
    const path = await saved('fewer.json', fewer);
    const ran = await compare(RECORD, path);
    expect(ran.code).toBe(4);
    expect(ran.stdout).toContain('Only in A: cancelled.');
    expect((await compare(path, RECORD)).code).toBe(0);
  });

  test('exit 5: slower by more than the limit, beyond chance', async () => {
    const record = (factor: number) => {
      const of = liveRun();
      const [run] = of.runs;
      run!.samples = Array.from({ length: 12 }, (_, index) => {
        const sample = structuredClone(run!.samples[1]!);
        const by = factor * (1 + index / 200);
        sample.itl_ms = sample.itl_ms.map((interval) => interval * by);
        sample.ttft_ms *= by;
        sample.e2e_ms *= by;
        return sample;
      });
      return { ...of, runs: [run!] };
    };
    const a = await saved('a.json', record(1));
    const b = await saved('b.json', record(1.2));
    const slower = await compare(a, b, '--fail-if-slower', '10');
    expect(slower.code).toBe(5);
    expect(slower.stderr).toMatch(
      /^short_cached: TTFT is 20\.0% slower, with 95% confidence by at least 1\d\.\d% \(limit 10%\)\nshort_cached: TPOT/,
    );
    expect((await compare(a, b, '--fail-if-slower', '25')).code).toBe(0);
    expect((await compare(b, a, '--fail-if-slower', '0')).code).toBe(0);
    expect((await compare(a, b)).code).toBe(0);
  });

  test('refused with one line: no such run, no names, no record', async () => {
    for (const [args, reason] of [
      [[RECORD, '--run', 'nope', '--with', 'short_cached'], /no run named "nope" \(it has "short_cached"/],
      [[RECORD], /two runs of one record are compared by their names/],
      [[RECORD, '--run', 'short_cached'], /name the other with --with/],
      [[RECORD, join(folder, 'none.json')], /none\.json: there is no such file/],
    ] as const) {
      const ran = await compare(...args);
      expect(ran).toMatchObject({ code: 1, stdout: '' });
      expect(ran.stderr).toMatch(reason);
      expect(isOneLine(ran.stderr)).toBe(true);
    }
    expect((await compare(RECORD, RECORD, '--fail-if-slower', 'much')).code).toBe(2);
  });
});

describe('export', () => {
  test.each([
    ['csv', /^run,sample,index,token_id,text,at_ms,itl_ms,phase\nshort_cached,0,0,4498/],
    ['csv-samples', /^run,sample,prompt_tokens/],
    ['markdown', /\| Run \| n \| prompt \|/],
    ['perfetto', /^\{"displayTimeUnit":"ms"/],
  ])('%s, to standard output and to a file', async (format, start) => {
    const ran = await runCli(['export', RECORD, '--to', format]);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(start);
    const path = join(folder, `export-${format}`);
    expect(await runCli(['export', RECORD, '--to', format, '--output', path])).toEqual({
      code: 0,
      stdout: '',
      stderr: `saved ${path}\n`,
    });
    expect(await readFile(path, 'utf8')).toBe(ran.stdout);
    expect((await runCli(['export', RECORD, '--to', format, '--output', path])).code).toBe(1);
    expect((await runCli(['export', RECORD, '--to', format, '--output', path, '--force'])).code).toBe(0);
  });

  test('a reader that stops early is no fault', async () => {
    const path = await saved('many.json', hugeRecord());
    const child = spawn(process.execPath, [CLI, 'export', path, '--to', 'csv'], { stdio: ['ignore', 'pipe', 'pipe'] });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.stdout.once('data', () => child.stdout.destroy());
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('a format that there is not is wrong usage', async () => {
    expect((await runCli(['export', RECORD, '--to', 'xlsx'])).code).toBe(2);
    expect((await runCli(['export', RECORD])).code).toBe(2);
    expect((await runCli(['report', RECORD])).code).toBe(2);
  });
});
