import type { Lane, LaneGroup } from '../trace/lane.ts';

/** Heights in pixels. */
export interface RowMetrics {
  readonly lane: number;
  /** Below the selected lane, for its bracket. */
  readonly bracket: number;
  /** What the label of a run needs at least, and that of the warm-up. */
  readonly label: number;
  readonly coldLabel: number;
  readonly collapsed: number;
  /** Above and below a group's lanes. */
  readonly gap: number;
}

export const ROW_METRICS: RowMetrics = { lane: 20, bracket: 22, label: 56, coldLabel: 34, collapsed: 30, gap: 6 };

/** For a large window. */
export const TALL_METRICS: RowMetrics = { lane: 25, bracket: 24, label: 62, coldLabel: 38, collapsed: 36, gap: 8 };
export const TALL_FROM_PX = 460;

export interface GroupRows {
  readonly index: number;
  readonly group: LaneGroup;
  readonly collapsed: boolean;
  readonly top: number;
  readonly height: number;
  /** The lane below which the bracket is drawn, if it is in this group. */
  readonly bracketAt: number | null;
}

export interface Rows {
  readonly groups: readonly GroupRows[];
  readonly height: number;
  readonly metrics: RowMetrics;
}

/** Where each group of lanes lies. Lanes inside have a fixed height, so that none has to be visited. */
export function layoutRows(
  all: readonly LaneGroup[],
  collapsed: ReadonlySet<string>,
  selected: { group: number; sample: number } | null,
  metrics = ROW_METRICS,
): Rows {
  let top = 0;
  const groups = all.map((group, index): GroupRows => {
    const isCollapsed = collapsed.has(group.name);
    const lanes = Math.max(group.lanes.length, group.planned === null ? 1 : Math.min(group.planned, 3));
    const bracketAt = !isCollapsed && selected?.group === index ? selected.sample : null;
    const content = lanes * metrics.lane + (bracketAt === null ? 0 : metrics.bracket);
    const height = isCollapsed
      ? metrics.collapsed
      : Math.max(content, group.cold ? metrics.coldLabel : metrics.label) + 2 * metrics.gap;
    const rows = { index, group, collapsed: isCollapsed, top, height, bracketAt };
    top += height;
    return rows;
  });
  return { groups, height: top, metrics };
}

/** The groups that touch `from`..`to`. */
export function groupsBetween(rows: Rows, from: number, to: number): readonly GroupRows[] {
  return rows.groups.slice(groupIndexAt(rows, from), groupIndexAt(rows, to) + 1);
}

/** The last group that begins at or above `y`. */
function groupIndexAt(rows: Rows, y: number): number {
  let low = 0;
  let high = rows.groups.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows.groups[middle]?.top ?? 0) <= y) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

/** Top of a lane, from the top of all rows. */
export function laneTop(rows: Rows, group: GroupRows, sample: number): number {
  const { lane, bracket, gap } = rows.metrics;
  if (group.collapsed) return group.top;
  const below = group.bracketAt !== null && sample > group.bracketAt ? bracket : 0;
  return group.top + gap + sample * lane + below;
}

/** The lanes of a group that touch `from`..`to`, as a first index and one past the last. */
export function lanesBetween(rows: Rows, group: GroupRows, from: number, to: number): [number, number] {
  const { lane, bracket, gap } = rows.metrics;
  const first = Math.floor((from - group.top - gap - bracket) / lane);
  const last = Math.ceil((to - group.top - gap) / lane);
  return [Math.max(0, first), Math.min(group.group.lanes.length, Math.max(0, last))];
}

/** The lane under a point, or null; a collapsed group has none. */
export function laneAt(rows: Rows, y: number): Lane | null {
  const group = rows.groups[groupIndexAt(rows, y)];
  if (group === undefined || group.collapsed || y >= group.top + group.height) return null;
  const { lane, bracket, gap } = rows.metrics;
  let inside = y - group.top - gap;
  if (group.bracketAt !== null) {
    const bracketTop = (group.bracketAt + 1) * lane;
    if (inside >= bracketTop + bracket) inside -= bracket;
    else if (inside >= bracketTop) inside = bracketTop - 1;
  }
  return inside < 0 ? null : (group.group.lanes[Math.floor(inside / lane)] ?? null);
}
