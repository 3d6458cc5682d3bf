import type { Problem } from '../../shared/problem.ts';
import type { TraceRecord } from '../../shared/record.ts';
import { count, counted } from '../../shared/units.ts';
import { environmentFacts, generationFacts, modelFacts } from './facts.ts';
import { Facts } from './RecordView.tsx';

const SHOWN_RUNS = 200;

/** A record that cannot be true: what is wrong with it, and what can be read all the same. No figure is drawn from it. */
export function RefusedView({ problems, readable }: { problems: readonly Problem[]; readable: Partial<TraceRecord> }) {
  const { model, environment, generation, runs } = readable;
  const nothing = model === undefined && environment === undefined && generation === undefined && runs === undefined;
  return (
    <div className="record-view" tabIndex={0} role="group" aria-label="The refused record" data-own-arrows>
      <section className="card verdict bad span" role="alert">
        <h1>This record was refused</h1>
        <p>
          <strong>✕ {counted(problems.length, 'problem')}.</strong> Its figures cannot be true, so none is drawn. What
          is wrong, in the record’s order:
        </p>
        <ul className="problems">
          {problems.map((problem) => (
            <li key={`${problem.path} ${problem.reason} ${problem.figures ?? ''}`}>
              <code>{problem.path === '' ? 'the whole file' : problem.path}</code>
              <span>
                <strong>{problem.reason}</strong>
                {problem.figures !== undefined && `: ${problem.figures}`}
              </span>
            </li>
          ))}
        </ul>
        <p className="hint">Correct the file where it was written and open it again; it has not been changed here.</p>
      </section>
      {nothing && <p className="hint span">No part of the file can be read as a part of a record.</p>}
      {model !== undefined && <Facts title="Model" rows={modelFacts(model)} />}
      {environment !== undefined && <Facts title="Environment" rows={environmentFacts(environment)} />}
      {generation !== undefined && <Facts title="Generation" rows={generationFacts(generation)} />}
      {runs !== undefined && runs.length > 0 && (
        <section className="card">
          <h2>Runs that can be read</h2>
          <dl className="facts wide">
            {runs.slice(0, SHOWN_RUNS).map((run, index) => (
              <div key={`${index} ${run.name}`}>
                <dt>
                  <bdi>{run.name}</bdi>
                </dt>
                <dd>
                  {counted(run.samples.length, 'sample')},{' '}
                  {counted(
                    run.samples.reduce((sum, sample) => sum + sample.generated_token_ids.length, 0),
                    'token',
                  )}
                </dd>
              </div>
            ))}
          </dl>
          {runs.length > SHOWN_RUNS && <p className="hint">and {count(runs.length - SHOWN_RUNS)} more.</p>}
        </section>
      )}
    </div>
  );
}
