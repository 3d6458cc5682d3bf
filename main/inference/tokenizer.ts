import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AutoTokenizer, env } from '@huggingface/transformers';
import { messageOf, TokenscopeError } from '../../shared/errors.ts';
import type { ModelFile } from '../../shared/model-folder.ts';

/** Text to token ids and back, by the tokenizer and chat template of a model folder. */
export interface Tokenizer {
  /** Chat template and tokenizer for one user message. Without a usable chat template the text itself is encoded. */
  readonly encodePrompt: (text: string) => number[];
  /**
   * A count that the prompt's tokens cannot exceed, without tokenizing it: every token stands for at least one byte of
   * text. Used to check a plan beforehand without warming the tokenizer's caches, which the first request should find cold.
   */
  readonly mostTokens: (text: string) => number;
  /** Text of the ids. Special tokens (end of text and the like) are left out. */
  readonly decode: (ids: readonly number[]) => string;
  /**
   * True if prompts go through a chat template. Otherwise they are encoded as they are: false where the folder has no
   * template, `failed: ...` where it has one that does not work with a single user message and no other arguments.
   */
  readonly chatTemplate: boolean | `failed: ${string}`;
}

export const TRANSFORMERS_VERSION = env.version;

/** A tokenizer may add a token at the start and at the end that stand for no text. */
const SPECIAL_TOKENS_AROUND = 2;
const TEMPLATE_FILE = 'chat_template.jinja';
/** Templates are some kilobytes. */
const MOST_TEMPLATE_BYTES = 1 << 20;

/**
 * The chat template that a folder keeps in a file of its own, as newer exports do; transformers.js reads it for
 * processors only. Undefined unless the folder lists the file: no byte is used that the record does not name.
 */
export async function readTemplate(folder: {
  directory: string;
  files: readonly ModelFile[];
}): Promise<string | undefined> {
  const file = folder.files.find(({ path }) => path === TEMPLATE_FILE);
  if (file === undefined) return undefined;
  const path = join(folder.directory, TEMPLATE_FILE);
  if (file.bytes > MOST_TEMPLATE_BYTES) {
    throw new TokenscopeError('model', `has ${file.bytes} bytes, a chat template at most ${MOST_TEMPLATE_BYTES}`, {
      path,
    });
  }
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw new TokenscopeError('file', `cannot be read: ${messageOf(cause)}`, { path, cause });
  });
}

/**
 * Reads tokenizer.json and tokenizer_config.json of a folder; `template` is used instead of the one in there, if given.
 * Nothing is fetched: without `allowRemoteModels = false` a missing file would still call the network, even with
 * `local_files_only`.
 */
export async function loadTokenizer(directory: string, template?: string): Promise<Tokenizer> {
  env.allowRemoteModels = false;
  env.useFSCache = false;
  const tokenizer = await AutoTokenizer.from_pretrained(directory, { local_files_only: true }).catch(
    (cause: unknown) => {
      throw new TokenscopeError('model', `the tokenizer cannot be read: ${messageOf(cause)}`, {
        path: directory,
        remedy: 'the folder needs a tokenizer.json and a tokenizer_config.json that belong together',
        cause,
      });
    },
  );

  const render = (text: string): string => {
    const rendered = tokenizer.apply_chat_template([{ role: 'user', content: text }], {
      add_generation_prompt: true,
      tokenize: false,
      ...(template === undefined ? {} : { chat_template: template }),
    });
    if (typeof rendered === 'string') return rendered;
    throw new Error('it did not produce text');
  };
  const hasTemplate = template !== undefined || isTemplate(tokenizer.chat_template);
  const chatTemplate = hasTemplate ? works(render) : false;
  const prompt = (text: string): string => {
    if (chatTemplate !== true) return text;
    try {
      return render(text);
    } catch (cause) {
      throw new TokenscopeError('model', `the chat template fails for this prompt: ${messageOf(cause)}`, { cause });
    }
  };

  return {
    chatTemplate,
    // A chat template writes the special tokens itself.
    encodePrompt: (text) => tokenizer.encode(prompt(text), { add_special_tokens: chatTemplate !== true }),
    mostTokens: (text) => Buffer.byteLength(prompt(text)) + SPECIAL_TOKENS_AROUND,
    decode: (ids) => (ids.length === 0 ? '' : tokenizer.decode([...ids], { skip_special_tokens: true })),
  };
}

/** One template, or several by name. */
function isTemplate(template: unknown): boolean {
  return typeof template === 'string' || (typeof template === 'object' && template !== null);
}

/** Whether a template works with what a request gives it: known before anything is measured. */
function works(render: (text: string) => string): Tokenizer['chatTemplate'] {
  try {
    const probe = 'A question.';
    return render(probe).includes(probe) ? true : 'failed: it leaves the prompt out';
  } catch (error) {
    return `failed: ${messageOf(error).slice(0, 300)}`;
  }
}
