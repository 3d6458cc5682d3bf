import { useEffect, useState } from 'react';
import { Charts } from '../charts/Charts.tsx';
import { Inspector } from '../inspector/Inspector.tsx';
import { useController, useWindowState, useWindowStore } from '../state/context.ts';
import { selectedLane } from '../state/select.ts';
import { TimelineView } from '../timeline/TimelineView.tsx';
import { LiveHeader } from './LiveHeader.tsx';
import { LiveSteps } from './LiveSteps.tsx';

/** Charts need not follow every token. */
const CHART_EVERY_MS = 200;

/** A run in progress: everything grows as tokens arrive. */
export function LivePage({ theme }: { theme: 'light' | 'dark' }) {
  const live = useWindowState((state) => state.live);
  const lane = useWindowState(selectedLane);
  const chartVersion = useChartVersion();
  const controller = useController();
  if (live === null) return null;
  const { trace } = live;
  return (
    <div className="page live">
      <LiveSteps trace={trace} version={live.version} />
      <main className="center">
        <LiveHeader trace={trace} version={live.version} onStop={() => void controller.stop()} />
        <TimelineView theme={theme} />
        <div className="dock live-dock">
          <Charts
            trace={trace}
            selected={lane?.group ?? -1}
            sample={lane?.sample ?? 0}
            batches={trace.draft.batches}
            prefix={trace.draft.prefixReuse ?? null}
            theme={theme}
            version={chartVersion}
          />
        </div>
      </main>
      <Inspector />
    </div>
  );
}

/** A number that changes at most five times a second while tokens arrive. */
function useChartVersion(): number {
  const store = useWindowStore();
  const [version, setVersion] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setVersion(store.getState().live?.version ?? 0), CHART_EVERY_MS);
    return () => clearInterval(timer);
  }, [store]);
  return version;
}
