import { useEffect, useMemo, useState } from 'react';
import type { Subject } from '../../shared/compare-records.ts';
import { busy } from '../idle.ts';
import { useController, useWindowState, useWindowStore } from '../state/context.ts';
import type { RecordState } from '../state/state.ts';
import { compareAside } from './compare-aside.ts';
import type { Compared } from './compared.ts';
import { type Pair, partnerTab, shownPair, type Side, subjectOf } from './pair.ts';

/** What the tab compares; null while the record it begins with is still being read. */
export function usePair(id: string): Pair | null {
  const controller = useController();
  const store = useWindowStore();
  const chosen = useWindowState((state) => state.pairs.get(id));
  const records = useWindowState((state) => state.records);
  const tabs = useWindowState((state) => state.app?.tabs);
  const marks = useWindowState((state) => state.marks.get(id));
  const partner = useWindowState((state) => partnerTab(state, id)?.id ?? null);
  useEffect(() => {
    if (partner !== null && chosen === undefined) void controller.load(partner);
  }, [controller, partner, chosen]);
  // All of it is read from the state; these are the parts that it follows from.
  return useMemo(() => shownPair(store.getState()), [store, chosen, records, tabs, marks, partner]);
}

export type SideState =
  | { readonly status: 'none' }
  | { readonly status: 'loading' }
  | { readonly status: 'error'; readonly message: string }
  | { readonly status: 'ready'; readonly subject: Subject; readonly open: Extract<RecordState, { status: 'ready' }> };

/** One side with its record, which is read if it was not. */
export function useSide(side: Side | null): SideState {
  const controller = useController();
  const record = useWindowState((state) => (side === null ? undefined : state.records.get(side.tab)));
  const tab = side?.tab ?? null;
  useEffect(() => {
    if (tab !== null) void controller.load(tab);
  }, [controller, tab]);
  return useMemo((): SideState => {
    if (side === null) return { status: 'none' };
    switch (record?.status) {
      case undefined:
      case 'loading':
        return { status: 'loading' };
      case 'error':
        return { status: 'error', message: record.error.message };
      case 'refused':
        return { status: 'error', message: 'this record was refused: its figures cannot be true, so none is compared' };
      case 'ready': {
        const subject = subjectOf(record.record, side);
        return subject === null
          ? { status: 'error', message: 'the record no longer has this run' }
          : { status: 'ready', subject, open: record };
      }
    }
  }, [side, record]);
}

export type ComparisonState = { readonly status: 'computing' } | Compared;

/** What may be said of two. Resampling many tokens takes seconds: with others it is given up and begins anew. */
export function useComparison(a: Subject | null, b: Subject | null): ComparisonState {
  const [made, setMade] = useState<{ a: Subject; b: Subject; state: Compared } | null>(null);
  useEffect(() => {
    if (a === null || b === null) return undefined;
    const over = busy();
    const cancel = compareAside({ a, b }, (state) => {
      setMade({ a, b, state });
      over();
    });
    return () => {
      cancel();
      over();
    };
  }, [a, b]);
  return made !== null && made.a === a && made.b === b ? made.state : { status: 'computing' };
}
