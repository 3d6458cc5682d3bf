import type { RunSummary } from '../../shared/summary.ts';

/** The selected run's answer in words, and what the colours mean. */
export function Headline({ run, stallRule }: { run: RunSummary | null; stallRule: string }) {
  return (
    <header className="headline">
      <h1 dir="auto">{run?.explanation.headline ?? 'Select a run to read where its time went.'}</h1>
      {run !== null && run.explanation.details.length > 0 && <p dir="auto">{run.explanation.details.join(' ')}</p>}
      <ul className="legend keys" aria-label="Colours">
        <li>
          <span className="swatch tokenization-swatch" aria-hidden="true" />
          tokenization
        </li>
        <li>
          <span className="swatch wait-swatch" aria-hidden="true" />
          prefill
        </li>
        <li>
          <span className="swatch pace-1" aria-hidden="true" />
          <span className="swatch pace-2" aria-hidden="true" />
          <span className="swatch pace-3" aria-hidden="true" />
          token, by its interval
        </li>
        <li title={`A stall is ${stallRule}.`}>
          <span className="stall-ink" aria-hidden="true">
            ▼
          </span>
          <span className="swatch stall-swatch" aria-hidden="true" />
          stall
        </li>
      </ul>
    </header>
  );
}
