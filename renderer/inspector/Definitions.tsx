import { useMemo } from 'react';
import { definitionLens } from '../../shared/definitions.ts';
import { msValue, percent } from '../../shared/units.ts';
import type { Lane } from '../trace/lane.ts';

/** The sample under the formulas of other tools, so that a figure from elsewhere can be reconciled with ours. */
export function Definitions({ lane }: { lane: Lane }) {
  const running = lane.stopReason === undefined;
  const figures = useMemo(() => (running || lane.count === 0 ? [] : figuresOf(lane)), [lane, running]);
  if (figures.length === 0) return null;
  const oursFor = (formula: string) => {
    const name = formula.startsWith('p50') ? 'ITL p50' : 'TPOT';
    return { name, ms: figures.find((figure) => figure.ours === name)?.ms ?? null };
  };
  return (
    <section className="panel">
      <details className="definitions">
        <summary>
          <h2>As other tools count</h2>
        </summary>
        <p className="hint">
          One sample, several formulas. The differences are of definition: nothing else was measured.
        </p>
        <dl>
          {figures.map(({ name, formula, tools, ms, ours: called }) => (
            <div key={formula} className={called === null ? undefined : 'ours'}>
              <dt>
                <code>{formula}</code>
                <span className="definition-name">{name}</span>
              </dt>
              <dd>
                <strong>{ms === null ? 'no value' : `${msValue(ms)} ms`}</strong>{' '}
                {called === null ? (
                  <span className="muted">{apart(ms, oursFor(formula))}</span>
                ) : (
                  <span className="good-ink">✓ our {called}</span>
                )}
              </dd>
              <dd className="muted">{tools}</dd>
            </div>
          ))}
        </dl>
      </details>
    </section>
  );
}

function figuresOf(lane: Lane) {
  return definitionLens({
    ttft_ms: lane.at[0] ?? 0,
    itl_ms: Array.from(lane.intervals.subarray(1, lane.count)),
    e2e_ms: lane.endMs,
    generated_tokens: lane.count,
  });
}

/** How far from our figure of the same kind. */
function apart(value: number | null, ours: { name: string; ms: number | null }): string {
  if (value === null || ours.ms === null || ours.ms <= 0) return '';
  const share = value / ours.ms - 1;
  if (Math.abs(share) < 0.0005) return `= our ${ours.name}`;
  return `${percent(Math.abs(share))} ${share > 0 ? 'over' : 'under'} our ${ours.name}`;
}
