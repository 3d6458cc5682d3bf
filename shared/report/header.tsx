import type { TraceRecord } from '../record.ts';
import { bytes, count, counted, shortCount } from '../units.ts';
import { type Block, CONTENT_WIDTH, beside, px, stacked } from './layout.ts';
import { Label, gap, heading } from './marks.tsx';
import type { ReportPalette } from './palette.ts';
import { textWidth } from './text-width.ts';

type Fact = readonly [name: string, value: string];

/** Which model, where and when: what a reader needs before any figure. */
export function header(record: TraceRecord, palette: ReportPalette): Block {
  const columns = [
    ['Model', modelFacts(record)],
    ['Machine', machineFacts(record)],
    ['Experiment', experimentFacts(record)],
  ] as const;
  const shown = columns.filter(([, facts]) => facts.length > 0);
  const step = CONTENT_WIDTH / 3;
  return stacked(
    [
      title(record, palette),
      gap(6),
      beside(
        shown.map(([name, facts]) =>
          stacked([heading(name, palette.faint), ...facts.map((fact) => factLine(fact, step - 28, palette))], 0),
        ),
        step,
      ),
    ],
    12,
  );
}

function title(record: TraceRecord, palette: ReportPalette): Block {
  const brand = textWidth('tokenscope', 18, 600);
  return {
    height: 34,
    draw: (x, y) => {
      const right = x + CONTENT_WIDTH;
      return (
        <g>
          <Label
            x={x}
            y={y + 26}
            text={record.model.id}
            size={28}
            weight={600}
            fill={palette.ink}
            width={CONTENT_WIDTH - brand - 40}
          />
          <Label x={right - brand} y={y + 24} text="token" size={18} weight={600} fill={palette.ink} />
          <text x={px(right)} y={px(y + 24)} fontSize={18} fontWeight={600} textAnchor="end" fill={palette.pace[1]}>
            scope
          </text>
        </g>
      );
    },
  };
}

const NAME_WIDTH = 92;

function factLine([name, value]: Fact, width: number, palette: ReportPalette): Block {
  return {
    height: 20,
    draw: (x, y) => (
      <g>
        <Label x={x} y={y + 13} text={name} size={12.5} fill={palette.muted} width={NAME_WIDTH - 8} />
        <Label x={x + NAME_WIDTH} y={y + 13} text={value} size={12.5} fill={palette.ink} width={width - NAME_WIDTH} />
      </g>
    ),
  };
}

/** Only what the record holds. */
function facts(entries: readonly (readonly [name: string, value: string | undefined])[]): Fact[] {
  return entries.flatMap(([name, value]): Fact[] => (value === undefined || value === '' ? [] : [[name, value]]));
}

function maybe<T>(value: T | null | undefined, words: (value: T) => string): string | undefined {
  return value === null || value === undefined ? undefined : words(value);
}

function modelFacts({ model }: TraceRecord): Fact[] {
  return facts([
    [
      'Weights',
      [model.dtype, maybe(model.weight_bytes, bytes), model.weights === 'synthetic' ? 'random' : undefined]
        .filter(Boolean)
        .join(', '),
    ],
    ['Parameters', maybe(model.parameters, shortCount)],
    ['Layers', maybe(model.layers, count)],
    ['KV cache', maybe(model.kv_bytes_per_token, (size) => `${bytes(size)} per token`)],
    ['Revision', maybe(model.revision, (revision) => revision.slice(0, 16))],
  ]);
}

function machineFacts({ environment }: TraceRecord): Fact[] {
  if (environment === undefined) return [];
  const torch = environment['torch'];
  return facts([
    [
      'Device',
      [environment.device, maybe(environment.threads, (threads) => counted(threads, 'thread'))]
        .filter(Boolean)
        .join(', '),
    ],
    ['Processor', environment.cpu],
    ['Memory', maybe(environment.memory_bytes, bytes)],
    ['System', environment.platform],
    [
      'Runtime',
      maybe(environment.onnxruntime, (version) => `onnxruntime ${version}`) ??
        (typeof torch === 'string' ? `torch ${torch}` : undefined),
    ],
  ]);
}

function experimentFacts(record: TraceRecord): Fact[] {
  const { generation, runs, created_at: date } = record;
  const samples = runs.reduce((sum, run) => sum + run.samples.length, 0);
  return facts([
    ['Date', maybe(date, dateWords)],
    ['Measured', `${counted(runs.length, 'run')}, ${counted(samples, 'sample')}`],
    ['Decoding', `${generation.strategy}, at most ${counted(generation.max_new_tokens, 'token')}`],
    ['Warm-up', generation.warmup_tokens > 0 ? counted(generation.warmup_tokens, 'token') : undefined],
    ['Ended', record.status === undefined || record.status === 'complete' ? undefined : record.status],
  ]);
}

/** As the record has it, in UTC and without the reader's locale: 2026-10-24 09:30 UTC. */
function dateWords(date: string): string {
  const parts = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?Z$/.exec(date);
  return parts === null ? date : `${parts[1] ?? ''} ${parts[2] ?? ''} UTC`;
}
