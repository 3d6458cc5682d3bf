import { useMemo } from 'react';
import { counted, ms } from '../../shared/units.ts';
import { useController } from '../state/context.ts';
import type { Trace } from '../trace/lane.ts';
import { tokensInRange } from './range.ts';

const SHOWN = 12;

/** A selected stretch of time: how long it is and what arrived in it. */
export function RangeFigures({ trace, range }: { trace: Trace; range: { from: number; to: number } }) {
  const controller = useController();
  const rows = useMemo(() => tokensInRange(trace, range.from, range.to, SHOWN), [trace, range]);
  return (
    <section className="panel">
      <h2>
        Range <span className="plain">{ms(range.to - range.from)}</span>
      </h2>
      <p className="hint range-hint">
        {ms(range.from)} to {ms(range.to)} after the request. F shows it alone.
      </p>
      <dl className="facts">
        {rows.map(({ lane, name, tokens, stalled }) => (
          <div key={lane.key}>
            <dt>
              <bdi>{name}</bdi>
            </dt>
            <dd>
              {stalled && <span className="stall-ink">▼ </span>}
              {counted(tokens, 'token')}
            </dd>
          </div>
        ))}
      </dl>
      {rows.length === 0 && <p className="hint">No token arrived in it.</p>}
      <button type="button" className="quiet" onClick={() => controller.setMarks(() => ({ range: null }))}>
        Clear <kbd>Esc</kbd>
      </button>
    </section>
  );
}
