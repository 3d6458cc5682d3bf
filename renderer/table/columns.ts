import type { RunSummary } from '../../shared/summary.ts';
import { UNKNOWN, count, msValue, rateValue } from '../../shared/units.ts';

/** A column of the table of runs. */
export interface RunColumn {
  readonly id: string;
  readonly header: string;
  readonly align: 'left' | 'right';
  readonly shown: (run: RunSummary) => string;
  /** Smaller, beside the figure. */
  readonly aside?: (run: RunSummary) => string;
  readonly sortBy: (run: RunSummary) => number | string | null;
  readonly definition: string;
}

const POOLED = 'over all intervals of the run, pooled; percentiles by';

/** `method` names how percentiles are computed, `stallRule` what a stall is: both come with the summary. */
export function runColumns(method: string, stallRule: string): RunColumn[] {
  const percentileColumn = (id: 'p50' | 'p95' | 'p99', header: string): RunColumn => ({
    id,
    header,
    align: 'right',
    shown: (run) => msValue(run.itl_ms?.[id]),
    sortBy: (run) => run.itl_ms?.[id] ?? null,
    definition: `Inter-token latency: the time between one token and the next. ${id}, ${POOLED} ${method}.`,
  });
  return [
    {
      id: 'name',
      header: 'Run',
      align: 'left',
      shown: (run) => run.name,
      sortBy: (run) => run.name,
      definition: 'The name in the plan.',
    },
    {
      id: 'n',
      header: 'n',
      align: 'right',
      shown: (run) => count(run.n),
      sortBy: (run) => run.n,
      definition: 'Samples: how often the same request was measured.',
    },
    {
      id: 'prompt',
      header: 'prompt',
      align: 'right',
      shown: (run) => count(run.prompt_tokens),
      sortBy: (run) => run.prompt_tokens,
      definition: 'Tokens of the prompt, chat template included.',
    },
    {
      id: 'ttft',
      header: 'TTFT ms',
      align: 'right',
      shown: (run) => msValue(run.ttft_ms.median),
      aside: ({ ttft_ms: { min, max } }) => `${msValue(min)}–${msValue(max)}`,
      sortBy: (run) => run.ttft_ms.median,
      definition:
        'Time to first token: from before tokenization until the first token is chosen and available. No queue, no transport. Median over samples, smallest to largest.',
    },
    {
      id: 'tpot',
      header: 'TPOT ms',
      align: 'right',
      shown: (run) => msValue(run.tpot_ms?.median),
      sortBy: (run) => run.tpot_ms?.median ?? null,
      definition:
        'Time per output token: a sample’s mean interval, (end − TTFT) / (tokens − 1). Median over samples; none for replies of one token.',
    },
    percentileColumn('p50', 'ITL p50'),
    percentileColumn('p95', 'p95'),
    percentileColumn('p99', 'p99'),
    {
      id: 'decode',
      header: 'tokens/s',
      align: 'right',
      shown: (run) => rateValue(run.decode_tokens_per_s),
      sortBy: (run) => run.decode_tokens_per_s,
      definition: 'Pace of the later tokens: 1000 / median TPOT. The wait is not in it.',
    },
    {
      id: 'prefill',
      header: 'prefill/s',
      align: 'right',
      shown: (run) => rateValue(run.prefill_tokens_per_s),
      sortBy: (run) => run.prefill_tokens_per_s,
      definition: 'Prompt tokens per second: prompt tokens / (TTFT − tokenization). Median over samples.',
    },
    {
      id: 'stop',
      header: 'stop',
      align: 'left',
      shown: stopText,
      sortBy: stopText,
      definition: 'Why the reply ended: length (the cap), eos (end of text), cancelled (by request), failed.',
    },
    {
      id: 'stalls',
      header: 'stalls',
      align: 'right',
      shown: (run) => (run.stalls.count === 0 ? UNKNOWN : `▼ ${count(run.stalls.count)}`),
      sortBy: (run) => run.stalls.count,
      definition: `A stall is ${stallRule}. Counted over all samples.`,
    },
  ];
}

function stopText(run: RunSummary): string {
  const reasons = Object.entries(run.stop_reasons);
  return reasons
    .map(([reason, times]) => {
      const words = reason === 'not_recorded' ? 'not recorded' : reason;
      return reasons.length === 1 ? words : `${words} ${times}`;
    })
    .join(', ');
}
