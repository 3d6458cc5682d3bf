import { Fragment, useMemo, useState } from 'react';
import { csvTable, fullRunTable } from '../../shared/run-table.ts';
import type { RecordSummary, RunSummary } from '../../shared/summary.ts';
import { renderCsv, renderMarkdown } from '../../shared/text-table.ts';
import { percent } from '../../shared/units.ts';
import { copyText } from '../frame/copy.ts';
import { useController } from '../state/context.ts';
import type { Trace } from '../trace/lane.ts';
import { type RunColumn, runColumns } from './columns.ts';
import { type Sorting, nextSorting, sortedIndices } from './sort.ts';

interface Props {
  summary: RecordSummary;
  trace: Trace;
  /** Index of the selected group in the trace. */
  selected: number | null;
}

/** The runs in figures. */
export function RunTable({ summary, trace, selected }: Props) {
  const controller = useController();
  const columns = useMemo(() => runColumns(summary.percentile_method, summary.stall_rule), [summary]);
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const order = useMemo(() => {
    const column = columns.find(({ id }) => id === sorting?.column);
    return sortedIndices(summary.runs, column?.sortBy ?? (() => 0), sorting?.descending ?? false);
  }, [columns, sorting, summary]);
  const cold = trace.groups[0]?.cold === true ? 1 : 0;

  if (summary.runs.length === 0) return <p className="hint">No run was measured.</p>;
  return (
    <div className="table-pane">
      <div className="table-tools">
        <button
          type="button"
          className="quiet"
          onClick={() => void copyText(controller, renderMarkdown(fullRunTable(summary.runs)), 'Markdown')}
        >
          Copy as Markdown
        </button>
        <button
          type="button"
          className="quiet"
          onClick={() => void copyText(controller, renderCsv(csvTable([{ file: null, runs: summary.runs }])), 'CSV')}
        >
          Copy as CSV
        </button>
      </div>
      <div className="table-scroll" tabIndex={0} role="group" aria-label="Table of runs" data-own-arrows>
        <table>
          <thead>
            <tr>
              {columns.map((column, place) => (
                <Fragment key={column.id}>
                  {place === 1 && (
                    <th scope="col" className="left share-head">
                      <span className="wait-ink">wait</span> | <span className="pace-ink">pace</span>
                    </th>
                  )}
                  <Header
                    column={column}
                    sorting={sorting}
                    onSort={() => setSorting(nextSorting(sorting, column.id))}
                  />
                </Fragment>
              ))}
            </tr>
          </thead>
          <tbody>
            {order.map((index) => {
              const run = summary.runs[index];
              if (run === undefined) return null;
              const group = index + cold;
              return (
                <tr
                  key={index}
                  className={selected === group ? 'selected' : undefined}
                  onClick={() => controller.setMarks(() => ({ sample: { group, sample: 0 }, token: null }))}
                >
                  {columns.map((column, place) => (
                    <Fragment key={column.id}>
                      {place === 1 && (
                        <td className="left">
                          <ShareBar run={run} />
                        </td>
                      )}
                      <Cell column={column} run={run} selected={selected === group} />
                    </Fragment>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function Header({ column, sorting, onSort }: { column: RunColumn; sorting: Sorting | null; onSort: () => void }) {
  const active = sorting?.column === column.id;
  const direction = active ? (sorting.descending ? 'descending' : 'ascending') : 'none';
  const tip = `definition-${column.id}`;
  return (
    <th scope="col" className={column.align} aria-sort={direction}>
      <button type="button" className="column-head" aria-describedby={tip} onClick={onSort}>
        {column.header}
        <span aria-hidden="true">{active ? (sorting.descending ? ' ↓' : ' ↑') : ''}</span>
      </button>
      <span role="tooltip" id={tip} className="definition">
        {column.definition}
      </span>
    </th>
  );
}

function Cell({ column, run, selected }: { column: RunColumn; run: RunSummary; selected: boolean }) {
  if (column.id === 'name') {
    return (
      <th scope="row" className="left">
        <button type="button" className="row-head" aria-pressed={selected}>
          <bdi>{column.shown(run)}</bdi>
        </button>
      </th>
    );
  }
  return (
    <td className={column.align} data-column={column.id}>
      <span className={column.id === 'stalls' && run.stalls.count > 0 ? 'stall-ink' : undefined}>
        {column.shown(run)}
      </span>
      {column.aside !== undefined && <span className="aside"> {column.aside(run)}</span>}
    </td>
  );
}

/** How much of the run's time was the wait, and how much the pace. */
function ShareBar({ run }: { run: RunSummary }) {
  const { wait, decode } = run.shares;
  if (wait === null || decode === null) return null;
  return (
    <span className="share" title={`wait ${percent(wait)}, decode ${percent(decode)} of the time`}>
      <span className="share-bar" aria-hidden="true">
        <span className="wait-bar" style={{ width: `${wait * 100}%` }} />
        <span className="pace-bar" style={{ width: `${decode * 100}%` }} />
      </span>
      <span className="share-figures">
        {percent(wait)} | {percent(decode)}
      </span>
    </span>
  );
}
