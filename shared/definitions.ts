import { isTiming } from './refusals.ts';
import { ascending, mean, percentileOfSorted, roundTo3 } from './statistics.ts';

/** One sample under a formula that some family of tools prints, so that a figure from elsewhere can be reconciled. */
export interface DefinitionFigure {
  readonly name: string;
  readonly formula: string;
  /** Who prints it, and under what name. */
  readonly tools: string;
  /** In milliseconds; null where the formula has no value for this sample. */
  readonly ms: number | null;
  /** This is the figure that Tokenscope calls by the name in `ours`. */
  readonly ours: 'TPOT' | 'ITL p50' | null;
}

interface Times {
  readonly n: number;
  readonly first: number;
  readonly last: number;
  readonly intervals: readonly number[];
  readonly sorted: Float64Array;
}

/** `first` and `last` are the times of the first and the last token from the start of the request, `n` the tokens. */
const DEFINITIONS: readonly (Omit<DefinitionFigure, 'ms'> & { readonly of: (times: Times) => number })[] = [
  {
    name: 'mean of the gaps between tokens',
    formula: 'mean(itl)',
    tools: 'vLLM bench: mean ITL; AIPerf: inter-chunk latency',
    ours: 'TPOT',
    of: ({ intervals }) => mean(intervals),
  },
  {
    name: 'time after the first token, for each later token',
    formula: '(last - first) / (n - 1)',
    tools: 'vLLM bench, MLPerf, OpenTelemetry: TPOT; AIPerf, GenAI-Perf, GuideLLM, inference-benchmarker: ITL',
    ours: null,
    of: ({ first, last, n }) => (last - first) / (n - 1),
  },
  {
    name: 'time after the first token, for every token',
    formula: '(last - first) / n',
    tools: 'llama-server: predicted_ms / predicted_n',
    ours: null,
    of: ({ first, last, n }) => (last - first) / n,
  },
  {
    name: 'whole request, for every token',
    formula: 'last / n',
    tools: 'GuideLLM: TPOT; LLMPerf: ITL (it counts stream events where these are not tokens)',
    ours: null,
    of: ({ last, n }) => last / n,
  },
  {
    name: 'median gap, linear interpolation',
    formula: 'p50(itl), linear',
    tools: 'numpy, vLLM bench, AIPerf, GenAI-Perf, optimum-benchmark',
    ours: 'ITL p50',
    of: ({ sorted }) => percentileOfSorted(sorted, 0.5),
  },
  {
    name: 'median gap, nearest rank',
    formula: 'p50(itl), sorted[floor(n * 0.5)]',
    tools: 'MLPerf LoadGen, the C benchmark of ONNX Runtime GenAI',
    ours: null,
    of: ({ sorted }) => sorted[Math.floor(sorted.length * 0.5)] ?? Number.NaN,
  },
  {
    name: 'median gap, lower of the middle two',
    formula: 'p50(itl), inverse of the cumulative distribution',
    tools: 'GuideLLM',
    ours: null,
    of: ({ sorted }) => sorted[Math.ceil(sorted.length * 0.5) - 1] ?? Number.NaN,
  },
];

/** What of a sample the formulas need. The tokens counted are those of `itl_ms` and the first one. */
export interface DefinedSample {
  readonly ttft_ms: number;
  readonly itl_ms: readonly number[];
  readonly e2e_ms: number;
  readonly generated_tokens: number;
}

/** The sample under every formula, in the order of the table; for tools that count tokens, not chunks of a stream. */
export function definitionLens(sample: DefinedSample): DefinitionFigure[] {
  const { ttft_ms: first, e2e_ms: last, itl_ms: intervals, generated_tokens: n } = sample;
  const times = { n, first, last, intervals, sorted: ascending(intervals) };
  return DEFINITIONS.map(({ of, ...definition }) => {
    const value =
      intervals.length === 0 && definition.formula !== 'last / n' && definition.formula !== '(last - first) / n'
        ? null
        : of(times);
    return { ...definition, ms: isTiming(value) ? roundTo3(value) : null };
  });
}
