import { AutoTokenizer, env } from '@huggingface/transformers';
import { messageOf, TokenscopeError } from '../../shared/errors.ts';

/** Text to token ids and back, by the tokenizer and chat template of a model folder. */
export interface Tokenizer {
  /** Chat template and tokenizer for one user message. Without a chat template the text itself is encoded. */
  readonly encodePrompt: (text: string) => number[];
  /**
   * A count that the prompt's tokens cannot exceed, without tokenizing it: every token stands for at least one byte of
   * text. Used to check a plan beforehand without warming the tokenizer's caches, which the first request should find cold.
   */
  readonly mostTokens: (text: string) => number;
  /** Text of the ids. Special tokens (end of text and the like) are left out. */
  readonly decode: (ids: readonly number[]) => string;
  /** False where the folder has no chat template: prompts are then encoded as they are. */
  readonly hasChatTemplate: boolean;
}

export const TRANSFORMERS_VERSION = env.version;

/** A tokenizer may add a token at the start and at the end that stand for no text. */
const SPECIAL_TOKENS_AROUND = 2;

/**
 * Reads tokenizer.json and tokenizer_config.json of a folder. Nothing is fetched: without `allowRemoteModels = false`
 * a missing file would still call the network, even with `local_files_only`.
 */
export async function loadTokenizer(directory: string): Promise<Tokenizer> {
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
  const hasChatTemplate = typeof tokenizer.chat_template === 'string' || Array.isArray(tokenizer.chat_template);

  const render = (text: string): string => {
    if (!hasChatTemplate) return text;
    const rendered = tokenizer.apply_chat_template([{ role: 'user', content: text }], {
      add_generation_prompt: true,
      tokenize: false,
    });
    if (typeof rendered === 'string') return rendered;
    throw new TokenscopeError('model', 'the chat template did not produce text', { path: directory });
  };

  return {
    hasChatTemplate,
    // A chat template writes the special tokens itself.
    encodePrompt: (text) => tokenizer.encode(render(text), { add_special_tokens: !hasChatTemplate }),
    mostTokens: (text) => Buffer.byteLength(render(text)) + SPECIAL_TOKENS_AROUND,
    decode: (ids) => (ids.length === 0 ? '' : tokenizer.decode([...ids], { skip_special_tokens: true })),
  };
}
