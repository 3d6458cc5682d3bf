import { endOf } from '../trace/record-trace.ts';
import type { LaneGroup, Trace } from '../trace/lane.ts';
import type { OpenedRecord } from '../state/state.ts';
import type { Side } from './pair.ts';

/** The lanes of the two runs as one trace, A before B; a batch has none. The arrays are those of the records' traces. */
export function pairTrace(
  a: { side: Side; open: OpenedRecord },
  b: { side: Side; open: OpenedRecord },
): Trace & { readonly a: LaneGroup | null; readonly b: LaneGroup | null } {
  const groups: LaneGroup[] = [];
  const add = (letter: string, { side, open }: typeof a): LaneGroup | null => {
    const found = groupOf(side, open);
    if (found === null) return null;
    const lanes = found.lanes.map((lane) => ({ ...lane, group: groups.length, key: `${letter}:${lane.key}` }));
    const group = { ...found, name: `${letter} · ${found.name}`, lanes };
    groups.push(group);
    return group;
  };
  const ofA = add('A', a);
  const ofB = add('B', b);
  return { groups, endMs: endOf(groups), a: ofA, b: ofB };
}

function groupOf({ kind, index }: Side, { trace }: OpenedRecord): LaneGroup | null {
  if (kind !== 'run') return null;
  const cold = trace.groups[0]?.cold === true ? 1 : 0;
  return trace.groups[index + cold] ?? null;
}
