import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readWeights } from './onnx-weights-reader.ts';

/**
 * The forward pass of the Qwen2 architecture in float64, written from its definition: one token after the other, one
 * number after the other. It exists to be right, not fast. Matrices are [in, out].
 */
export class Qwen2Reference {
  readonly vocabulary: number;
  readonly #weights: Map<string, Float64Array>;
  readonly #hidden: number;
  readonly #layers: number;
  readonly #heads: number;
  readonly #kvHeads: number;
  readonly #headDim: number;
  readonly #theta: number;
  readonly #epsilon: number;
  /** Per layer, one key and one value vector ([kv heads x head size]) for each token so far. */
  #cache: { keys: Float64Array[]; values: Float64Array[] }[] = [];

  constructor(folder: string, graph = 'onnx/model.onnx') {
    const config = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8'));
    if (config.model_type !== 'qwen2' || config.tie_word_embeddings !== true) throw new Error('not a tied qwen2 model');
    this.#weights = readWeights(join(folder, graph));
    this.vocabulary = config.vocab_size;
    this.#hidden = config.hidden_size;
    this.#layers = config.num_hidden_layers;
    this.#heads = config.num_attention_heads;
    this.#kvHeads = config.num_key_value_heads;
    this.#headDim = config.hidden_size / config.num_attention_heads;
    this.#theta = config.rope_theta;
    this.#epsilon = config.rms_norm_eps;
    this.reset();
  }

  /** Empties the cache. */
  reset(): void {
    this.#cache = Array.from({ length: this.#layers }, () => ({ keys: [], values: [] }));
  }

  /** Logits after one more token at `position`. `visible` says of every token so far, this one last, whether it counts. */
  next(token: number, position: number, visible: readonly boolean[]): Float64Array {
    const table = this.#weight('model.embed_tokens.weight');
    let hidden: Float64Array = table.slice(token * this.#hidden, (token + 1) * this.#hidden);
    for (let layer = 0; layer < this.#layers; layer += 1) {
      const name = `model.layers.${layer}`;
      hidden = plus(hidden, this.#attention(layer, this.#norm(`${name}.input_layernorm`, hidden), position, visible));
      const normed = this.#norm(`${name}.post_attention_layernorm`, hidden);
      const gate = this.#times(`${name}.mlp.gate_proj`, normed);
      const up = this.#times(`${name}.mlp.up_proj`, normed);
      const product = gate.map((value, index) => (value / (1 + Math.exp(-value))) * up[index]!);
      hidden = plus(hidden, this.#times(`${name}.mlp.down_proj`, product));
    }
    const last = this.#norm('model.norm', hidden);
    return Float64Array.from({ length: this.vocabulary }, (_, id) => {
      let sum = 0;
      for (let index = 0; index < this.#hidden; index += 1) sum += last[index]! * table[id * this.#hidden + index]!;
      return sum;
    });
  }

  #attention(layer: number, input: Float64Array, position: number, visible: readonly boolean[]): Float64Array {
    const name = `model.layers.${layer}.self_attn`;
    const size = this.#headDim;
    const queries = this.#rotate(this.#project(`${name}.q_proj`, input), position);
    const { keys, values } = this.#cache[layer]!;
    keys.push(this.#rotate(this.#project(`${name}.k_proj`, input), position));
    values.push(this.#project(`${name}.v_proj`, input));
    if (visible.length !== keys.length) throw new Error(`${visible.length} marks for ${keys.length} tokens`);
    const mixed = new Float64Array(this.#heads * size);
    for (let head = 0; head < this.#heads; head += 1) {
      const shared = Math.floor(head / (this.#heads / this.#kvHeads));
      const scores = keys.map((key, token) => {
        if (!visible[token]) return -Infinity;
        let sum = 0;
        for (let index = 0; index < size; index += 1)
          sum += queries[head * size + index]! * key[shared * size + index]!;
        return sum / Math.sqrt(size);
      });
      const most = Math.max(...scores);
      const shares = scores.map((score) => Math.exp(score - most));
      const total = shares.reduce((sum, share) => sum + share, 0);
      for (const [token, value] of values.entries()) {
        for (let index = 0; index < size; index += 1) {
          mixed[head * size + index]! += (shares[token]! / total) * value[shared * size + index]!;
        }
      }
    }
    return this.#times(`${name}.o_proj`, mixed);
  }

  /** Each head's first half turns against its second half, pair by pair. */
  #rotate(vector: Float64Array, position: number): Float64Array {
    const half = this.#headDim / 2;
    const rotated = new Float64Array(vector.length);
    for (let start = 0; start < vector.length; start += this.#headDim) {
      for (let pair = 0; pair < half; pair += 1) {
        const angle = position / this.#theta ** (pair / half);
        const x = vector[start + pair]!;
        const y = vector[start + half + pair]!;
        rotated[start + pair] = x * Math.cos(angle) - y * Math.sin(angle);
        rotated[start + half + pair] = y * Math.cos(angle) + x * Math.sin(angle);
      }
    }
    return rotated;
  }

  #norm(name: string, vector: Float64Array): Float64Array {
    const weight = this.#weight(`${name}.weight`);
    const mean = vector.reduce((sum, value) => sum + value * value, 0) / vector.length;
    const root = Math.sqrt(mean + this.#epsilon);
    return vector.map((value, index) => (weight[index]! * value) / root);
  }

  #project(name: string, vector: Float64Array): Float64Array {
    return plus(this.#times(name, vector), this.#weight(`${name}.bias`));
  }

  #times(name: string, vector: Float64Array): Float64Array {
    const matrix = this.#weight(`${name}.weight`);
    const columns = matrix.length / vector.length;
    const product = new Float64Array(columns);
    for (const [row, value] of vector.entries()) {
      for (let column = 0; column < columns; column += 1) product[column]! += value * matrix[row * columns + column]!;
    }
    return product;
  }

  #weight(name: string): Float64Array {
    const weight = this.#weights.get(name);
    if (weight === undefined) throw new Error(`there is no weight ${name}`);
    return weight;
  }
}

function plus(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((value, index) => value + b[index]!);
}
