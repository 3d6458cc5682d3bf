import type { TraceRecord } from '../../shared/record.ts';
import type { RecordSummary } from '../../shared/summary.ts';
import { bytes, count, counted, ms, shortCount } from '../../shared/units.ts';
import { useController } from '../state/context.ts';
import type { Trace } from '../trace/lane.ts';
import { stallWords } from './stall-words.ts';

interface Props {
  record: TraceRecord;
  summary: RecordSummary;
  trace: Trace;
  selected: number | null;
}

/** What ran, and whether it may be trusted: the first and the third question. */
export function Sidebar({ record, summary, trace, selected }: Props) {
  const controller = useController();
  const { model, environment } = record;
  const device = [environment?.device, model.attention_backend].filter((part) => part !== undefined).join(', ');
  const samples = summary.runs.reduce((sum, run) => sum + run.n, 0);
  return (
    <aside className="sidebar" aria-label="The record">
      <section className="panel">
        <h2>Model</h2>
        <dl className="facts">
          <Row name={model.id.split('/').at(-1) ?? model.id} value={model.dtype ?? ''} title={model.id} />
          {model.parameters !== undefined && <Row name="Parameters" value={shortCount(model.parameters)} />}
          {model.weight_bytes !== undefined && <Row name="Weights" value={bytes(model.weight_bytes)} />}
          {model.kv_bytes_per_token !== undefined && (
            <Row name="KV cache" value={`${bytes(model.kv_bytes_per_token)}/token`} />
          )}
          {device !== '' && <Row name="Device" value={device} />}
          {environment?.threads !== undefined && <Row name="Threads" value={count(environment.threads)} />}
          {record.load !== undefined && (
            <Row
              name={record.load.reused ? 'Loaded before in' : 'Loaded in'}
              value={ms(record.load.model_ms)}
              title="Measured apart from every request"
            />
          )}
          {typeof model.revision === 'string' && (
            <Row name="Revision" value={model.revision.slice(0, 7)} title={model.revision} />
          )}
        </dl>
      </section>
      <section className="panel">
        <h2>Runs</h2>
        <ul className="runs">
          {trace.groups.map((group, index) => (
            <li key={`${index} ${group.name}`}>
              <button
                type="button"
                aria-pressed={selected === index}
                onClick={() => controller.setMarks(() => ({ sample: { group: index, sample: 0 }, token: null }))}
              >
                <span className={group.cold ? 'dot cold' : 'dot done'} aria-hidden="true" />
                <bdi className="run-name">{group.name}</bdi>
                <span className="muted">
                  {runSize(group.lanes.length, group.summary?.output_tokens ?? null, group.lanes[0]?.count ?? 0)}
                </span>
              </button>
            </li>
          ))}
          {record.batch_sweep.length > 0 && (
            <li className="run-line">
              <span className="dot done" aria-hidden="true" />
              <span className="run-name">batch sweep</span>
              <span className="muted">{record.batch_sweep.map((batch) => count(batch.batch_size)).join(', ')}</span>
            </li>
          )}
          {record.prefix_reuse !== null && (
            <li className="run-line">
              <span className="dot done" aria-hidden="true" />
              <span className="run-name">prefix reuse</span>
              <span className="muted">
                {count(record.prefix_reuse.cached_prefix_tokens)} of {count(record.prefix_reuse.total_tokens)}
              </span>
            </li>
          )}
          {(record.skipped ?? []).map(({ step, reason }) => (
            <li key={step} className="run-line" title={reason}>
              <span className="dot skipped" aria-hidden="true" />
              <span className="run-name">{step}</span>
              <span className="muted">not run</span>
            </li>
          ))}
        </ul>
      </section>
      <section className="panel">
        <h2>May I trust it?</h2>
        <dl className="facts">
          <Row name="Boundary" value="before tokenization" />
          <Row name="Queue, transport" value="none" />
          <Row name="Intervals add up" value={`✓ ${count(samples)} of ${count(samples)}`} good />
          <Row name="Stalls" value={stallWords(summary)} />
        </dl>
        <ul className="notes">
          {summary.notes.slice(0, 4).map(({ path, text }) => (
            <li key={`${path} ${text}`}>{text}</li>
          ))}
        </ul>
        <button type="button" className="quiet" onClick={() => controller.show('record')}>
          {summary.notes.length > 4 ? `All ${count(summary.notes.length)} notes` : 'The whole record'}
        </button>
      </section>
    </aside>
  );
}

function runSize(samples: number, tokens: { min: number; max: number } | null, fallback: number): string {
  const each =
    tokens === null
      ? count(fallback)
      : tokens.min === tokens.max
        ? count(tokens.max)
        : `${count(tokens.min)}–${count(tokens.max)}`;
  return samples === 1 && tokens === null ? counted(fallback, 'token') : `${count(samples)} × ${each}`;
}

function Row({ name, value, title, good = false }: { name: string; value: string; title?: string; good?: boolean }) {
  return (
    <div title={title}>
      <dt>
        <bdi>{name}</bdi>
      </dt>
      <dd className={good ? 'good-ink' : undefined}>{value}</dd>
    </div>
  );
}
