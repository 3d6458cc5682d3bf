import { useMemo } from 'react';
import type { Comparison, MetricComparison } from '../../shared/compare.ts';
import { UNKNOWN, decimal, msValue, rateValue } from '../../shared/units.ts';
import { neededWords } from '../../shared/verdict.ts';
import { type ForestRow, forestReach, forestRow, onAxis } from './forest.ts';

/** Each metric: both figures, and what may be said of their difference. Without a common question only the figures. */
export function MetricTable({ comparison, notes }: { comparison: Comparison; notes: readonly string[] }) {
  const { metrics, standing } = comparison;
  const rows = useMemo(() => metrics.map(forestRow), [metrics]);
  const reach = forestReach(rows);
  const claims = standing !== 'not comparable';
  return (
    <section className="card" aria-labelledby="metrics-title">
      <h2 id="metrics-title">Figures</h2>
      {!claims && (
        <p className="side-by-side">
          Side by side, with no difference and no ratio: {comparison.differences.filter(isCause).map(named).join(', ')}{' '}
          differ{comparison.differences.filter(isCause).length === 1 ? 's' : ''}.
        </p>
      )}
      <div className="metric-scroll" tabIndex={0} role="group" aria-label="Figures of A and B" data-own-arrows>
        <table className={claims ? 'metrics' : 'metrics plain'}>
          <thead>
            <tr>
              <th scope="col">Metric</th>
              <th scope="col" className="side-head-a">
                A
              </th>
              <th scope="col" className="side-head-b">
                B
              </th>
              {claims && (
                <>
                  <th scope="col">B − A</th>
                  <th scope="col">B ÷ A</th>
                  <th scope="col" className="forest-head">
                    <span>95% interval of B − A</span>
                    {rows.some((row) => row !== null) && <ForestAxis reach={reach} />}
                  </th>
                  <th scope="col" className="left">
                    Verdict
                  </th>
                </>
              )}
            </tr>
          </thead>
          <tbody>
            {metrics.map((metric, index) => (
              <Row key={metric.metric} metric={metric} claims={claims} row={rows[index] ?? null} reach={reach} />
            ))}
          </tbody>
        </table>
      </div>
      <ul className="compare-notes">
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </section>
  );
}

const isCause = ({ mark }: Comparison['differences'][number]): boolean => mark !== 'harmless';
const named = ({ what }: Comparison['differences'][number]): string => what;

interface RowProps {
  metric: MetricComparison;
  claims: boolean;
  row: ForestRow | null;
  reach: number;
}

function Row({ metric, claims, row, reach }: RowProps) {
  const write = metric.unit === 'ms' ? msValue : rateValue;
  const { interval } = metric;
  const range =
    interval === null ? 'not computed' : `${signed(interval.low, write)} to ${signed(interval.high, write)}`;
  return (
    <tr>
      <th scope="row">
        {metric.label} <span className="muted">{metric.unit === 'ms' ? 'ms' : ''}</span>
      </th>
      <td>{write(metric.a)}</td>
      <td>{write(metric.b)}</td>
      {claims && (
        <>
          <td>{signed(metric.difference, write)}</td>
          <td>{metric.ratio === null ? UNKNOWN : decimal(metric.ratio, metric.ratio < 0.1 ? 3 : 2)}</td>
          <td className="forest-cell">
            {row !== null && <Forest row={row} reach={reach} />}
            <span className={interval === null ? 'muted' : undefined}>{range}</span>
          </td>
          <td className="left">
            <VerdictWords metric={metric} />
          </td>
        </>
      )}
    </tr>
  );
}

function VerdictWords({ metric }: { metric: MetricComparison }) {
  const { verdict, samples_needed: needed } = metric;
  switch (verdict) {
    case null:
      return <span className="muted">none: another question</span>;
    case 'none':
      return <span className="muted">no such figure</span>;
    case 'faster':
      return (
        <strong className="good-ink">
          <span aria-hidden="true">▲</span> B is faster
        </strong>
      );
    case 'slower':
      return (
        <strong className="stall-ink">
          <span aria-hidden="true">▼</span> B is slower
        </strong>
      );
    case 'not distinguishable':
      return <span>not distinguishable</span>;
    case 'too few samples':
      return (
        <span>
          too few samples <span className="muted">it takes {neededWords(needed)}</span>
        </span>
      );
  }
}

const WIDTH = 180;
const HEIGHT = 18;

/** The interval around 0. Its figures stand beside it, so it is for the eye alone. */
function Forest({ row, reach }: { row: ForestRow; reach: number }) {
  const low = onAxis(row.low, reach);
  const high = onAxis(row.high, reach);
  const middle = onAxis(row.middle, reach);
  const x = (share: number): number => WIDTH / 2 + (share / reach) * (WIDTH / 2 - 6);
  const y = HEIGHT / 2;
  return (
    <svg className="forest" width={WIDTH} height={HEIGHT} aria-hidden="true">
      <line className="forest-zero" x1={WIDTH / 2} x2={WIDTH / 2} y1={0} y2={HEIGHT} />
      <line className="forest-line" x1={x(low.share)} x2={x(high.share)} y1={y} y2={y} />
      <End x={x(low.share)} beyond={low.beyond} out={row.low < 0 ? -1 : 1} />
      <End x={x(high.share)} beyond={high.beyond} out={row.high < 0 ? -1 : 1} />
      {!middle.beyond && <circle className="forest-point" cx={x(middle.share)} cy={y} r={3.2} />}
    </svg>
  );
}

/** A bar where the interval ends, an arrow where it goes on beyond the axis. */
function End({ x, beyond, out }: { x: number; beyond: boolean; out: 1 | -1 }) {
  const y = HEIGHT / 2;
  if (!beyond) return <line className="forest-line" x1={x} x2={x} y1={4} y2={HEIGHT - 4} />;
  return (
    <polygon className="forest-point" points={`${x + 5 * out},${y} ${x - 2 * out},${y - 4} ${x - 2 * out},${y + 4}`} />
  );
}

function ForestAxis({ reach }: { reach: number }) {
  const end = `${decimal(reach * 100, 0)}%`;
  return (
    <span className="forest-axis muted" style={{ width: WIDTH }}>
      <span>−{end}</span>
      <span>0</span>
      <span>+{end} of A</span>
    </span>
  );
}

function signed(value: number | null, write: (value: number) => string): string {
  if (value === null) return UNKNOWN;
  return value > 0 ? `+${write(value)}` : value < 0 ? `−${write(-value)}` : write(0);
}
