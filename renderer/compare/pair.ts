import type { Subject } from '../../shared/compare-records.ts';
import { compareSettings } from '../../shared/comparability.ts';
import { formatPath } from '../../shared/problem.ts';
import type { TraceRecord } from '../../shared/record.ts';
import type { WindowState } from '../state/state.ts';

/** One of the two that are compared: a run of an open record, or one batch of its sweep, by place. */
export interface Side {
  /** The record's tab. */
  readonly tab: string;
  readonly kind: Subject['kind'];
  readonly index: number;
}

/** B is seen from A. Without B there is nothing to compare with yet. */
export interface Pair {
  readonly a: Side;
  readonly b: Side | null;
}

export interface Opened {
  readonly tab: string;
  readonly record: TraceRecord;
}

/** Runs beyond are only compared when they are chosen: a record can have thousands. */
const MOST_TRIED = 60;

/**
 * What a comparison begins with. With a second record: the runs of one name, `earlier` as A. In one record: the run
 * that is selected and the first one that may be compared with it, such as the same prompt without a cache.
 */
export function defaultPair(active: Opened, partner: { opened: Opened; earlier: boolean } | null, run: number): Pair {
  const { record, tab } = active;
  const selected = record.runs[run] === undefined ? 0 : run;
  if (partner !== null) {
    const found = sameName(record, partner.opened.record, selected);
    if (found !== null) {
      const mine: Side = { tab, kind: 'run', index: found.mine };
      const theirs: Side = { tab: partner.opened.tab, kind: 'run', index: found.theirs };
      return partner.earlier ? { a: theirs, b: mine } : { a: mine, b: theirs };
    }
  }
  const side = (index: number): Side => ({ tab, kind: 'run', index });
  const found = comparableRuns(record, selected);
  if (found !== null) return { a: side(found.a), b: side(found.b) };
  const other = record.runs.findIndex((_, index) => index !== selected);
  return { a: side(selected), b: other < 0 ? null : side(other) };
}

/** The selected run first, then any other that both have. */
function sameName(mine: TraceRecord, theirs: TraceRecord, selected: number): { mine: number; theirs: number } | null {
  const places = new Map(theirs.runs.map(({ name }, index) => [name, index]));
  const order = [selected, ...mine.runs.keys()];
  for (const index of order) {
    const place = places.get(mine.runs[index]?.name ?? '');
    if (place !== undefined) return { mine: index, theirs: place };
  }
  return null;
}

function comparableRuns(record: TraceRecord, selected: number): { a: number; b: number } | null {
  const tried = record.runs.slice(0, MOST_TRIED);
  const order = [selected, ...tried.keys()].filter((index, place, all) => all.indexOf(index) === place);
  for (const a of order) {
    const run = record.runs[a];
    const b = tried.findIndex(
      (other, index) =>
        index !== a &&
        run !== undefined &&
        compareSettings({ record, run }, { record, run: other }).standing === 'comparable',
    );
    if (b >= 0) return { a, b };
  }
  return null;
}

export function swapped(pair: Pair): Pair {
  return pair.b === null ? pair : { a: pair.b, b: pair.a };
}

/** What a side names in a record that is open; null where the record has no such run. */
export function subjectOf(record: TraceRecord, { kind, index }: Side): Subject | null {
  if (kind === 'run') {
    const run = record.runs[index];
    return run === undefined ? null : { kind, record, run };
  }
  const batch = record.batch_sweep[index];
  return batch === undefined ? null : { kind, name: batchName(index), batch };
}

export function batchName(index: number): string {
  return formatPath(['batch_sweep', index]);
}

/** The tab that a comparison looks to first: the one before, else the one after. Refused records have no figures. */
export function partnerTab(state: Pick<WindowState, 'app'>, id: string): { id: string; earlier: boolean } | null {
  const tabs = state.app?.tabs ?? [];
  const place = tabs.findIndex((tab) => tab.id === id);
  const before = tabs.slice(0, Math.max(0, place)).findLast(({ valid }) => valid);
  if (before !== undefined) return { id: before.id, earlier: true };
  const after = tabs.slice(place + 1).find(({ valid }) => valid);
  return after === undefined ? null : { id: after.id, earlier: false };
}

/** What the active tab compares: as it was chosen, while that is still open, else as it begins. Null: not known yet. */
export function shownPair(state: WindowState): Pair | null {
  const { active, records, app } = state;
  const open = active === null ? undefined : records.get(active);
  if (active === null || open?.status !== 'ready') return null;
  const chosen = state.pairs.get(active);
  const isOpen = (side: Side | null) => side === null || (app?.tabs.some(({ id }) => id === side.tab) ?? false);
  if (chosen !== undefined && isOpen(chosen.a) && isOpen(chosen.b)) return chosen;
  const tab = partnerTab(state, active);
  const other = tab === null ? undefined : records.get(tab.id);
  // Still on its way: what it begins with is not known.
  if (tab !== null && (other === undefined || other.status === 'loading')) return null;
  const partner =
    tab !== null && other?.status === 'ready'
      ? { opened: { tab: tab.id, record: other.record }, earlier: tab.earlier }
      : null;
  const cold = open.trace.groups[0]?.cold === true ? 1 : 0;
  const group = state.marks.get(active)?.sample?.group ?? cold;
  return defaultPair({ tab: active, record: open.record }, partner, Math.max(0, group - cold));
}
