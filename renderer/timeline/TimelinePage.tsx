import { Charts } from '../charts/Charts.tsx';
import { Dock } from '../frame/Dock.tsx';
import { Inspector } from '../inspector/Inspector.tsx';
import { Sidebar } from '../sidebar/Sidebar.tsx';
import { useWindowState } from '../state/context.ts';
import { selectedLane } from '../state/select.ts';
import type { RecordState } from '../state/state.ts';
import { RunTable } from '../table/RunTable.tsx';
import { Headline } from './Headline.tsx';
import { TimelineView } from './TimelineView.tsx';

/** A record in full: lanes, charts, table, and what is selected. */
export function TimelinePage({
  open,
  theme,
}: {
  open: Extract<RecordState, { status: 'ready' }>;
  theme: 'light' | 'dark';
}) {
  const { record, summary, trace } = open;
  const lane = useWindowState(selectedLane);
  const selected = lane?.group ?? null;
  const run = selected === null ? null : (trace.groups[selected]?.summary ?? null);
  return (
    <div className="page">
      <Sidebar record={record} summary={summary} trace={trace} selected={selected} />
      <main className="center">
        <Headline run={run} stallRule={summary.stall_rule} />
        <TimelineView theme={theme} />
        <Dock
          charts={
            <Charts
              trace={trace}
              selected={selected ?? -1}
              sample={lane?.sample ?? 0}
              batches={record.batch_sweep}
              prefix={record.prefix_reuse}
              theme={theme}
              version={0}
            />
          }
          table={<RunTable summary={summary} trace={trace} selected={selected} />}
        />
      </main>
      <Inspector />
    </div>
  );
}
