import { EMPTY_TRACE, type Lane, type Trace } from '../trace/lane.ts';
import { LIVE, type Marks, NO_MARKS, type RecordState, type WindowState } from './state.ts';

/** Derived from the state, never kept in it. */

export function activeRecord(state: WindowState): RecordState | null {
  return state.active === null || state.active === LIVE ? null : (state.records.get(state.active) ?? null);
}

export function activeTrace(state: WindowState): Trace {
  if (state.active === LIVE) return state.live?.trace ?? EMPTY_TRACE;
  if (state.view === 'compare') return state.pairTrace ?? EMPTY_TRACE;
  const record = activeRecord(state);
  return record?.status === 'ready' ? record.trace : EMPTY_TRACE;
}

export function activeMarks(state: WindowState): Marks {
  const key = marksKey(state);
  return (key === null ? undefined : state.marks.get(key)) ?? NO_MARKS;
}

/** A comparison has marks of its own, in the tab in which it is made. */
export function marksKey({ active, view }: Pick<WindowState, 'active' | 'view'>): string | null {
  return active === null || active === LIVE || view !== 'compare' ? active : comparisonKey(active);
}

export function comparisonKey(id: string): string {
  return `${id}${COMPARED}`;
}

/** The tab that marks belong to. */
export function tabOfMarks(key: string): string {
  return key.endsWith(COMPARED) ? key.slice(0, -COMPARED.length) : key;
}

const COMPARED = ' compared';

/** The lane that is selected; during a run, without a choice, the one that is running. */
export function selectedLane(state: WindowState): Lane | null {
  const trace = activeTrace(state);
  const { sample } = activeMarks(state);
  if (sample !== null) return trace.groups[sample.group]?.lanes[sample.sample] ?? null;
  return state.active === LIVE ? (state.live?.trace.current ?? null) : null;
}

/** For a record that was just opened: the first sample of the first run, so that the first screen says something. */
export function firstSample(trace: Trace): Marks['sample'] {
  const group = trace.groups.findIndex(({ cold, lanes }) => !cold && lanes.length > 0);
  return group < 0 ? null : { group, sample: 0 };
}
