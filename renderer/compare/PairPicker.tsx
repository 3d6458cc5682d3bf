import { useId } from 'react';
import { useController, useWindowState } from '../state/context.ts';
import { type Pair, type Side, batchName, swapped } from './pair.ts';

/** Which two are compared: for each a record that is open, and one of its runs. */
export function PairPicker({ id, pair }: { id: string; pair: Pair }) {
  const controller = useController();
  const choose = (next: Pair): void => controller.choosePair(id, next);
  return (
    <div className="pair-picker">
      <SidePicker letter="A" side={pair.a} onChange={(a) => choose({ ...pair, a })} />
      <button
        type="button"
        className="second"
        disabled={pair.b === null}
        title="Swap A and B"
        onClick={() => choose(swapped(pair))}
      >
        <span aria-hidden="true">⇄</span> <span className="wide-only">Swap</span>
        <span className="hidden">A and B</span> <kbd>X</kbd>
      </button>
      <SidePicker letter="B" side={pair.b} fallback={pair.a.tab} onChange={(b) => choose({ ...pair, b })} />
    </div>
  );
}

interface SideProps {
  letter: 'A' | 'B';
  side: Side | null;
  /** The record that is named while no run is chosen. */
  fallback?: string;
  onChange: (side: Side) => void;
}

function SidePicker({ letter, side, fallback, onChange }: SideProps) {
  const name = useId();
  const controller = useController();
  const tabs = useWindowState((state) => state.app?.tabs);
  const tab = side?.tab ?? fallback ?? '';
  const record = useWindowState((state) => state.records.get(tab));
  const open = record?.status === 'ready' ? record.record : null;
  const pickRecord = (next: string): void => {
    void controller.load(next);
    onChange({ tab: next, kind: 'run', index: 0 });
  };
  const pickRun = (value: string): void => {
    const [kind, index] = value.split(' ');
    onChange({ tab, kind: kind === 'batch' ? 'batch' : 'run', index: Number(index) });
  };
  return (
    <fieldset className={`pair-side side-${letter.toLowerCase()}`}>
      <legend>{letter === 'A' ? 'A, the base' : 'B, seen from A'}</legend>
      <label htmlFor={`${name}-record`} className="hidden">
        Record of {letter}
      </label>
      <select id={`${name}-record`} value={tab} onChange={(event) => pickRecord(event.target.value)}>
        {(tabs ?? []).map((entry) => (
          <option key={entry.id} value={entry.id} disabled={!entry.valid}>
            {entry.name}
            {entry.valid ? '' : ' (refused)'}
          </option>
        ))}
      </select>
      <label htmlFor={`${name}-run`} className="hidden">
        Run of {letter}
      </label>
      <select
        id={`${name}-run`}
        value={side === null ? '' : `${side.kind} ${side.index}`}
        disabled={open === null}
        onChange={(event) => pickRun(event.target.value)}
      >
        {side === null && <option value="">no run</option>}
        {open === null && side !== null && <option value={`${side.kind} ${side.index}`}>…</option>}
        {open?.runs.map((run, index) => (
          <option key={`run ${index}`} value={`run ${index}`}>
            {run.name}
          </option>
        ))}
        {open !== null && open.batch_sweep.length > 0 && (
          <optgroup label="Batch sweep, another loop">
            {open.batch_sweep.map((batch, index) => (
              <option key={`batch ${index}`} value={`batch ${index}`}>
                {batchName(index)}, {batch.batch_size} at once
              </option>
            ))}
          </optgroup>
        )}
      </select>
    </fieldset>
  );
}
