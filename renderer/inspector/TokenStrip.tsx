import { memo, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { ms } from '../../shared/units.ts';
import { useController } from '../state/context.ts';
import { sayToken } from '../timeline/describe.ts';
import { PACE } from '../../shared/pace.ts';
import { type Lane, tokenText } from '../trace/lane.ts';
import { tokenMarks } from '../trace/token-marks.ts';
import { STRIP_LIMIT, StripLayout } from './strip-layout.ts';

const ROW = 26;
const METRICS = { padding: 5, gap: 3, minimum: 14, mark: 12 };
/** Rows drawn above and below what is on screen. */
const SPARE = 4;

const PACE_NAMES = ['first token', 'usual', 'slower', 'slow', 'stall'];

interface Props {
  lane: Lane;
  token: number | null;
  /** Where a page has several strips: what their tokens' ids begin with, and whose tokens they are. */
  prefix?: string;
  whose?: string;
  /** A token that is to be marked: the first one that another reply does not share. */
  differs?: number | null;
}

/** The tokens of a sample with the colours of their intervals. Only rows on screen exist. */
export function TokenStrip({ lane, token, prefix = 'token', whose = 'the reply', differs = null }: Props) {
  const controller = useController();
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [height, setHeight] = useState(300);
  const [scrollTop, setScrollTop] = useState(0);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const measure = (): void => {
      setWidth(element.clientWidth);
      setHeight(element.clientHeight);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const layout = useMemo(() => (width === 0 ? null : layoutFor(lane, width, differs)), [lane, width, differs]);
  layout?.extend(lane.count);

  useEffect(() => {
    const element = box.current;
    const shown = token ?? differs;
    if (element === null || layout === null || shown === null) return;
    const top = layout.rowOf(shown) * ROW;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + ROW > element.scrollTop + element.clientHeight) element.scrollTop = top + ROW - element.clientHeight;
  }, [layout, token, differs]);

  const rows = layout?.rows ?? 0;
  const first = Math.max(0, Math.floor(scrollTop / ROW) - SPARE);
  const last = Math.min(rows, Math.ceil((scrollTop + height) / ROW) + SPARE);
  const select = useCallback(
    (index: number): void => {
      controller.setMarks(() => ({ sample: { group: lane.group, sample: lane.sample }, token: index }));
      controller.say(sayToken(lane, index));
    },
    [controller, lane],
  );
  const running = lane.stopReason === undefined;
  const row = layout === null || token === null ? -1 : layout.rowOf(token);
  const onScreen = row >= first && row < last;
  return (
    <div
      ref={box}
      className="strip"
      style={{ height: rows * ROW }}
      role="listbox"
      aria-label={`Tokens of ${whose}, ${lane.count}`}
      tabIndex={0}
      aria-activedescendant={onScreen ? `${prefix}-${token}` : undefined}
      onScroll={(event) => setScrollTop(event.currentTarget.scrollTop)}
    >
      <div role="presentation" style={{ height: rows * ROW }} className="strip-inner">
        {layout !== null &&
          Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index).map((row) => (
            <div key={row} role="presentation" className="strip-row" style={{ top: row * ROW }}>
              {tokensOf(layout, row).map((index) => (
                <Token
                  key={index}
                  lane={lane}
                  id={`${prefix}-${index}`}
                  differs={index === differs}
                  index={index}
                  width={layout.widths[index] ?? 0}
                  pace={lane.pace[index] ?? 0}
                  size={running ? -1 : lane.count}
                  selected={index === token}
                  onSelect={select}
                />
              ))}
            </div>
          ))}
      </div>
    </div>
  );
}

interface TokenProps {
  lane: Lane;
  id: string;
  differs: boolean;
  index: number;
  width: number;
  pace: number;
  /** How many tokens there are; -1 while they are still coming. */
  size: number;
  selected: boolean;
  onSelect: (index: number) => void;
}

const Token = memo(function Token({ lane, id, differs, index, width, pace, size, selected, onSelect }: TokenProps) {
  const text = tokenText(lane, index);
  return (
    <span
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={selected}
      aria-setsize={size}
      aria-posinset={index + 1}
      aria-label={`${differs ? 'first difference, ' : ''}${tokenMarks(text)}, ${PACE_NAMES[pace] ?? ''}, ${ms(lane.intervals[index])}`}
      title={`Token ${index + 1}, ${ms(lane.intervals[index])}`}
      className={`token pace-${pace}${differs ? ' differs' : ''}`}
      style={{ width }}
      onClick={() => onSelect(index)}
    >
      {differs && <span className="token-mark">≠</span>}
      {pace === PACE.stall && <span className="token-mark">▼</span>}
      <bdi>{tokenMarks(text, STRIP_LIMIT)}</bdi>
    </span>
  );
});

function tokensOf(layout: StripLayout, row: number): number[] {
  const [from, to] = layout.span(row);
  return Array.from({ length: to - from }, (_, index) => from + index);
}

/** As .token in the style sheet. */
const FONT_SIZE = 12.5;

function layoutFor(lane: Lane, width: number, differs: number | null): StripLayout {
  const context = document.createElement('canvas').getContext('2d');
  const font = getComputedStyle(document.documentElement).getPropertyValue('--font');
  if (context !== null) context.font = `${FONT_SIZE}px ${font}`;
  const source = {
    text: (token: number) => tokenText(lane, token),
    marks: (token: number) => (lane.pace[token] === PACE.stall ? 1 : 0) + (token === differs ? 1 : 0),
    measure: (text: string) => context?.measureText(text).width ?? text.length * 7,
  };
  return new StripLayout(source, { ...METRICS, width });
}
