import type { TraceRecord } from '../../shared/record.ts';
import type { RecordSummary } from '../../shared/summary.ts';
import { bytes, counted, ms } from '../../shared/units.ts';
import { type FactRow, environmentFacts, generationFacts, loadFacts, modelFacts, recordFacts } from './facts.ts';

/** What ran where, with which files, and what a reader should know before trusting the figures. */
export function RecordView({ record, summary }: { record: TraceRecord; summary: RecordSummary }) {
  const samples = record.runs.reduce((sum, run) => sum + run.samples.length, 0);
  return (
    <div className="record-view" tabIndex={0} role="group" aria-label="The record" data-own-arrows>
      <section className="card verdict good">
        <h1>May I trust it?</h1>
        <p>
          <strong>✓ The record is consistent.</strong> In{' '}
          {samples === 1 ? 'its one sample' : `all ${counted(samples, 'sample')}`} the intervals account for the
          end-to-end time, and every token has its interval. Time starts before tokenization; there is no queue and no
          transport in a local trace.
        </p>
        {summary.notes.length > 0 && (
          <ul className="notes">
            {summary.notes.map(({ path, text }) => (
              <li key={`${path} ${text}`}>
                {text} {path !== '' && <code>{path}</code>}
              </li>
            ))}
          </ul>
        )}
        <p className="hint">
          Percentiles by {summary.percentile_method}. A stall is {summary.stall_rule}.
        </p>
      </section>
      <Facts title="Record" rows={recordFacts(record)} />
      <Facts title="Model" rows={modelFacts(record.model)} />
      {record.environment !== undefined && <Facts title="Environment" rows={environmentFacts(record.environment)} />}
      <Facts title="Generation" rows={generationFacts(record.generation)} />
      <Facts title="Loading" rows={loadFacts(record)} empty="Loading times are not recorded." />
      {summary.cold !== null && (
        <Facts
          title="First request after loading"
          rows={[
            ['Wait', ms(summary.cold.ttft_ms)],
            ['Then, for each token', ms(summary.cold.tpot_ms)],
          ]}
        />
      )}
      <Files record={record} />
      <Prompts record={record} />
    </div>
  );
}

export function Facts({ title, rows, empty }: { title: string; rows: readonly FactRow[]; empty?: string }) {
  return (
    <section className="card">
      <h2>{title}</h2>
      {rows.length === 0 && <p className="hint">{empty ?? 'Not recorded.'}</p>}
      <dl className="facts wide">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Files({ record }: { record: TraceRecord }) {
  const files = record.model.files ?? [];
  return (
    <section className="card span">
      <h2>Files of the model</h2>
      {files.length === 0 ? (
        <p className="hint">The record names no files and no hashes.</p>
      ) : (
        <ul className="files">
          {files.map((file) => (
            <li key={file.path}>
              <span>
                <bdi>{file.path}</bdi> <span className="muted">{bytes(file.bytes)}</span>
              </span>
              <code>{file.sha256}</code>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Enough of a prompt to know it; the rest is one click away. */
const SHORT = 300;

function Prompts({ record }: { record: TraceRecord }) {
  const prompts = new Map<string, string[]>();
  for (const run of record.runs) {
    const prompt = run.samples[0]?.prompt;
    if (prompt !== undefined) prompts.set(prompt, [...(prompts.get(prompt) ?? []), run.name]);
  }
  return (
    <section className="card span">
      <h2>Prompts</h2>
      {prompts.size === 0 && <p className="hint">The record holds no prompts.</p>}
      {[...prompts].slice(0, 100).map(([prompt, names]) => (
        <div key={prompt} className="prompt">
          <h3>
            <bdi>{names.join(', ')}</bdi>
          </h3>
          {prompt.length <= SHORT ? (
            <p dir="auto">{prompt}</p>
          ) : (
            <details>
              <summary dir="auto">{prompt.slice(0, SHORT)}…</summary>
              <p dir="auto">{prompt}</p>
            </details>
          )}
        </div>
      ))}
    </section>
  );
}
