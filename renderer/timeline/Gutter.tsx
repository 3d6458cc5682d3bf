import { memo } from 'react';
import { counted, ms } from '../../shared/units.ts';
import { useController } from '../state/context.ts';
import type { Lane } from '../trace/lane.ts';
import { describeLane } from './describe.ts';
import { type GroupRows, type Rows, groupsBetween, laneTop, lanesBetween } from './rows.ts';
import { toggled } from './timeline-commands.ts';

interface Props {
  rows: Rows;
  scrollTop: number;
  height: number;
  selected: Lane | null;
  collapsed: ReadonlySet<string>;
  /** Changes when a lane has grown. */
  version: number;
}

/** The names beside the lanes, and the lanes for those who do not see a canvas. Only what is on screen exists. */
export const Gutter = memo(function Gutter({ rows, scrollTop, height, selected, collapsed }: Props) {
  const controller = useController();
  const shown = groupsBetween(rows, scrollTop, scrollTop + height);
  return (
    <div className="gutter">
      {shown.map((group) => (
        <div key={group.index} className={group.group.cold ? 'group cold' : 'group'}>
          <GroupLabel
            group={group}
            scrollTop={scrollTop}
            active={selected?.group === group.index}
            onToggle={() => controller.setMarks(() => ({ collapsed: toggled(collapsed, group.group.name) }))}
          />
          {!group.collapsed &&
            visibleLanes(rows, group, scrollTop, height).map((lane) => (
              <button
                key={lane.key}
                type="button"
                tabIndex={-1}
                className="lane-number"
                aria-pressed={lane.key === selected?.key}
                style={{ top: laneTop(rows, group, lane.sample), height: rows.metrics.lane }}
                onClick={() =>
                  controller.setMarks(() => ({ sample: { group: lane.group, sample: lane.sample }, token: null }))
                }
              >
                {lane.sample + 1}
                <span className="hidden">: {describeLane(group.group, lane)}</span>
              </button>
            ))}
        </div>
      ))}
    </div>
  );
});

function visibleLanes(rows: Rows, group: GroupRows, scrollTop: number, height: number): readonly Lane[] {
  const [first, last] = lanesBetween(rows, group, scrollTop, scrollTop + height);
  return group.group.lanes.slice(first, last);
}

interface LabelProps {
  group: GroupRows;
  scrollTop: number;
  active: boolean;
  onToggle: () => void;
}

/** Stays on screen as long as one of its lanes is. */
function GroupLabel({ group, scrollTop, active, onToggle }: LabelProps) {
  const { name, cold, summary, lanes, planned } = group.group;
  const room = group.top + group.height - (group.collapsed ? group.height : 62);
  const top = Math.min(Math.max(group.top, scrollTop), Math.max(group.top, room));
  return (
    <div className={active ? 'group-label active' : 'group-label'} style={{ top }}>
      <button type="button" className="group-name" aria-expanded={!group.collapsed} onClick={onToggle} title={name}>
        <span className="chevron" aria-hidden="true" />
        <bdi>{name}</bdi>
      </button>
      {!group.collapsed && summary !== null && (
        <>
          <span className="group-figure">
            <span className="wait-ink">wait</span> {ms(summary.ttft_ms.median)}
          </span>
          {summary.tpot_ms !== null && (
            <span className="group-figure">
              <span className="pace-ink">then</span> {ms(summary.tpot_ms.median)}/token
            </span>
          )}
        </>
      )}
      {!group.collapsed && cold && <span className="group-figure">first request, in no run</span>}
      {!group.collapsed && planned !== null && !cold && (
        <span className="group-figure">
          {lanes.length} of {counted(planned, 'sample')}
        </span>
      )}
    </div>
  );
}
