import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react';

const MIN_SHARE = 20;
const MAX_SHARE = 75;
const STEP = 4;

/**
 * Charts and table below the lanes, above each other where there is room and one at a time where there is not. The
 * border to the lanes can be moved by pointer and arrow keys.
 */
export function Dock({ charts, table }: { charts: ReactNode; table: ReactNode }) {
  const [tab, setTab] = useState<'charts' | 'table'>('table');
  const [share, setShare] = useState<number | null>(null);
  const box = useRef<HTMLDivElement>(null);

  const clamp = (value: number): number => Math.min(MAX_SHARE, Math.max(MIN_SHARE, value));
  const current = (): number => {
    const element = box.current;
    const parent = element?.parentElement;
    return element === null || !parent ? 50 : Math.round((element.offsetHeight / parent.offsetHeight) * 100);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const direction = event.code === 'ArrowUp' ? 1 : event.code === 'ArrowDown' ? -1 : 0;
    if (direction === 0) return;
    event.preventDefault();
    setShare(clamp((share ?? current()) + direction * STEP));
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>): void => {
    const parent = box.current?.parentElement;
    if (!event.currentTarget.hasPointerCapture(event.pointerId) || !parent) return;
    const { bottom, height } = parent.getBoundingClientRect();
    setShare(clamp(((bottom - event.clientY) / height) * 100));
  };
  return (
    <div
      ref={box}
      className="dock"
      data-tab={tab}
      style={share === null ? undefined : { height: `${share}%`, maxHeight: 'none' }}
    >
      <div
        className="splitter"
        role="separator"
        aria-orientation="horizontal"
        aria-label="Height of charts and table"
        aria-valuenow={Math.round(share ?? 50)}
        aria-valuemin={MIN_SHARE}
        aria-valuemax={MAX_SHARE}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={onPointerMove}
        onDoubleClick={() => setShare(null)}
      />
      <div className="dock-tabs" role="group" aria-label="Below the lanes">
        <button type="button" aria-pressed={tab === 'table'} onClick={() => setTab('table')}>
          Table
        </button>
        <button type="button" aria-pressed={tab === 'charts'} onClick={() => setTab('charts')}>
          Charts
        </button>
      </div>
      <div className="dock-charts">{charts}</div>
      <div className="dock-table">{table}</div>
    </div>
  );
}
