import {
  AutoModelForCausalLM,
  AutoTokenizer,
  env,
  type PreTrainedTokenizer,
  TextStreamer,
} from '@huggingface/transformers';

/** Milliseconds from the start of a request to each of its tokens, by transformers.js. */
export type Generate = (prompt: string, maxNewTokens: number) => Promise<number[]>;

/** Stamps tokens instead of printing their text: it neither decodes nor holds anything back. */
class Stamps extends TextStreamer {
  readonly at: number[] = [];
  readonly #started: number;
  #seenPrompt = false;

  constructor(tokenizer: PreTrainedTokenizer, started: number) {
    super(tokenizer);
    this.#started = started;
  }

  override put(): void {
    // The first call hands over the prompt.
    if (this.#seenPrompt) this.at.push(performance.now() - this.#started);
    this.#seenPrompt = true;
  }

  override end(): void {}
}

/** The same files, the same number of threads, through generate(): greedy, with its own cache handling. */
export async function loadGenerate(directory: string, externalData: boolean, threads: number): Promise<Generate> {
  env.allowRemoteModels = false;
  env.useFSCache = false;
  const tokenizer = await AutoTokenizer.from_pretrained(directory, { local_files_only: true });
  const model = await AutoModelForCausalLM.from_pretrained(directory, {
    local_files_only: true,
    dtype: 'fp32',
    device: 'cpu',
    use_external_data_format: externalData,
    session_options: { intraOpNumThreads: threads, interOpNumThreads: 1, executionMode: 'sequential' },
  });
  return async (prompt, maxNewTokens) => {
    const started = performance.now();
    const inputs = tokenizer.apply_chat_template([{ role: 'user', content: prompt }], {
      add_generation_prompt: true,
      return_dict: true,
    }) as Record<string, unknown>;
    const streamer = new Stamps(tokenizer, started);
    await model.generate({
      ...inputs,
      max_new_tokens: maxNewTokens,
      min_new_tokens: maxNewTokens,
      do_sample: false,
      streamer,
    });
    return streamer.at;
  };
}
