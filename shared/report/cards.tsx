import type { ReactNode } from 'react';
import type { TraceRecord } from '../record.ts';
import { isTiming } from '../refusals.ts';
import { coldSentence, prefixSentence } from '../summary-text.ts';
import type { RecordSummary } from '../summary.ts';
import { counted, ms, rateValue } from '../units.ts';
import { type Block, CONTENT_WIDTH, beside, px, stacked } from './layout.ts';
import { Label, heading, paragraph } from './marks.tsx';
import type { ReportPalette } from './palette.ts';

const GAP = 24;
const PADDING = 18;
const ROW = 34;

interface Bar {
  readonly name: string;
  readonly value: number;
  readonly text: string;
  readonly color: string;
}

/** Batch sweep, prefix reuse and cold start: those that were measured, beside each other. */
export function cards(record: TraceRecord, summary: RecordSummary, palette: ReportPalette): Block | null {
  const parts = [batchCard(record, palette), prefixCard(record, palette), coldCard(record, summary, palette)].filter(
    (part) => part !== null,
  );
  if (parts.length === 0) return null;
  const columns = Math.max(2, parts.length);
  const width = (CONTENT_WIDTH - GAP * (columns - 1)) / columns;
  const blocks = parts.map(({ title, bars, note }) => {
    const inner = width - 2 * PADDING;
    return stacked(
      [
        heading(title, palette.faint),
        ...bars.map((bar) => barBlock(bar, largest(bars), inner, palette)),
        paragraph(note, { size: 12, fill: palette.muted, width: inner }),
      ],
      2,
    );
  });
  const height = blocks.reduce((most, block) => Math.max(most, block.height), 0) + 2 * PADDING;
  return beside(
    blocks.map((block) => framed(block, width, height, palette)),
    width + GAP,
  );
}

interface Card {
  readonly title: string;
  readonly bars: readonly Bar[];
  readonly note: string;
}

function batchCard({ batch_sweep: batches }: TraceRecord, palette: ReportPalette): Card | null {
  if (batches.length === 0) return null;
  return {
    title: 'Batch sweep, tokens/s',
    bars: batches.map((batch) => ({
      name: counted(batch.batch_size, 'row'),
      value: batch.output_tokens_per_s,
      text: `${rateValue(batch.output_tokens_per_s)} in ${ms(batch.elapsed_ms)}`,
      color: palette.pace[1],
    })),
    note: 'One measurement each, in a loop of its own: not comparable with the runs above.',
  };
}

function prefixCard(record: TraceRecord, palette: ReportPalette): Card | null {
  const prefix = record.prefix_reuse;
  const sentence = prefixSentence(record);
  if (prefix === null || sentence === null) return null;
  const bar = (name: string, value: number): Bar => ({ name, value, text: ms(value), color: palette.wait });
  return {
    title: 'Prefix reuse, prefill',
    bars: [bar('whole prompt', prefix.cold_prefill_ms), bar('prefix reused', prefix.suffix_prefill_ms)],
    note: `${sentence} Largest difference of a logit: ${prefix.max_abs_last_logit_diff.toExponential(1)}.`,
  };
}

function coldCard(record: TraceRecord, summary: RecordSummary, palette: ReportPalette): Card | null {
  const sentence = coldSentence(summary);
  const { load } = record;
  const bars: Bar[] = [];
  if (load !== undefined && !load.reused) {
    for (const [name, value] of [
      ['load tokenizer', load.tokenizer_ms],
      ['load model', load.model_ms],
    ] as const) {
      if (isTiming(value)) bars.push({ name, value, text: ms(value), color: palette.tokenization });
    }
  }
  if (summary.cold !== null) {
    const { ttft_ms: value } = summary.cold;
    bars.push({ name: 'first request', value, text: ms(value), color: palette.wait });
  }
  if (bars.length === 0) return null;
  const reused = load?.reused === true ? ' An earlier experiment had loaded the model.' : '';
  return { title: 'Cold start', bars, note: `${sentence ?? 'Loading is in none of the runs.'}${reused}` };
}

function largest(bars: readonly Bar[]): number {
  return bars.reduce((most, { value }) => Math.max(most, value), 0);
}

const NAME_WIDTH = 96;
const TEXT_WIDTH = 116;

function barBlock(bar: Bar, most: number, width: number, palette: ReportPalette): Block {
  const room = width - NAME_WIDTH - TEXT_WIDTH;
  const length = most > 0 ? Math.max(1, (bar.value / most) * room) : 1;
  return {
    height: ROW - 6,
    draw: (x, y) => (
      <g>
        <Label x={x} y={y + 16} text={bar.name} size={12} fill={palette.ink} width={NAME_WIDTH - 8} />
        <rect x={px(x + NAME_WIDTH)} y={y + 5} width={px(length)} height={14} fill={bar.color} />
        <Label
          x={x + NAME_WIDTH + length + 8}
          y={y + 16}
          text={bar.text}
          size={12}
          fill={palette.muted}
          width={TEXT_WIDTH}
        />
      </g>
    ),
  };
}

function framed(block: Block, width: number, height: number, palette: ReportPalette): Block {
  return {
    height,
    draw: (x, y): ReactNode => (
      <g>
        <rect x={px(x)} y={px(y)} width={px(width)} height={px(height)} rx={6} fill={palette.card} />
        {block.draw(x + PADDING, y + PADDING)}
      </g>
    ),
  };
}
