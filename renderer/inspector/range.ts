import { PACE } from '../../shared/pace.ts';
import { type Lane, firstTokenAt, highestPace, type Trace } from '../trace/lane.ts';

export interface RangeRow {
  readonly lane: Lane;
  readonly name: string;
  readonly tokens: number;
  readonly stalled: boolean;
}

/** How many tokens each lane got in a stretch of time; at most `limit` lanes that got any, in the trace's order. */
export function tokensInRange(trace: Trace, from: number, to: number, limit: number): RangeRow[] {
  const rows: RangeRow[] = [];
  for (const group of trace.groups) {
    for (const lane of group.lanes) {
      if (rows.length >= limit) return rows;
      const first = firstTokenAt(lane, from);
      const last = firstTokenAt(lane, to);
      if (last <= first) continue;
      const stalled = highestPace(lane, first, last) === PACE.stall;
      rows.push({ lane, name: `${group.name} ${lane.sample + 1}`, tokens: last - first, stalled });
    }
  }
  return rows;
}
