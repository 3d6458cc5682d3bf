import { parameterCount } from '../../shared/model-shape.ts';
import type { ModelShape } from '../../shared/model-shape.ts';

/** The README.md of a synthesized folder: that it is no trained model, and what may be measured with it. */
export function syntheticCard(name: string, shape: ModelShape, seed: number): string {
  const parameters = parameterCount(shape).toLocaleString('en-US');
  const kvBytes = (2 * shape.layers * shape.kvHeads * shape.headDim * 4).toLocaleString('en-US');
  return `# Synthetic model in the shape of ${name}

**The weights are random numbers (seed ${seed}). Nothing was learned, and the text that it generates means nothing.**
It was written by Tokenscope to measure how fast a model of this shape runs on this machine. Times, memory and the size
of the KV cache are those of the shape; quality, reply lengths and stop reasons are not.

| | |
| --- | --- |
| Architecture | ${shape.architecture}: hidden ${shape.hiddenSize}, ${shape.layers} layers, ${shape.heads} heads, ${shape.kvHeads} key value heads of ${shape.headDim}, intermediate ${shape.intermediateSize} |
| Parameters | ${parameters}, float32 |
| Vocabulary | ${shape.vocabularySize.toLocaleString('en-US')} tokens; the tokenizer knows few merges, so texts have more tokens than with the original |
| KV cache | ${kvBytes} bytes per token |
`;
}
