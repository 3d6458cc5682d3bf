import { useMemo } from 'react';
import type { Batch, PrefixReuse } from '../../shared/record.ts';
import { readPalette } from '../timeline/palette.ts';
import type { LaneGroup, Trace } from '../trace/lane.ts';
import { BatchChart } from './BatchChart.tsx';
import { EcdfChart } from './EcdfChart.tsx';
import { IntervalChart } from './IntervalChart.tsx';
import { PrefixCard } from './PrefixCard.tsx';

interface Props {
  trace: Trace;
  /** Index of the selected group. */
  selected: number;
  /** Place of the selected sample in it. */
  sample: number;
  batches: readonly Batch[];
  prefix: PrefixReuse | null;
  theme: 'light' | 'dark';
  version: number;
}

export function Charts({ trace, selected, sample, batches, prefix, theme, version }: Props) {
  const palette = useMemo(() => ({ ...readPalette(), theme }), [theme]);
  const { groups } = trace;
  const group: LaneGroup | undefined = groups[selected] ?? groups.find(({ cold }) => !cold);
  return (
    <div className="charts" tabIndex={0} role="group" aria-label="Charts" data-own-arrows>
      {group === undefined || group.lanes.every((lane) => lane.count < 2) ? (
        <p className="hint empty-chart">No interval yet.</p>
      ) : (
        <IntervalChart group={group} lanes={group.lanes} palette={palette} version={version} strong={sample} />
      )}
      <EcdfChart groups={groups} selected={selected} palette={palette} />
      {batches.length > 0 && <BatchChart batches={batches} palette={palette} />}
      {prefix !== null && <PrefixCard prefix={prefix} />}
    </div>
  );
}
