import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { counted } from '../../shared/units.ts';
import { useTimelineCommands } from '../frame/keyboard.ts';
import { useController, useWindowState } from '../state/context.ts';
import { activeMarks, activeTrace, selectedLane } from '../state/select.ts';
import { describeLane } from './describe.ts';
import { type Scene, drawAxis, drawScene } from './draw.ts';
import { Gutter } from './Gutter.tsx';
import { readPalette } from './palette.ts';
import { layoutRows, ROW_METRICS, TALL_FROM_PX, TALL_METRICS } from './rows.ts';
import { timelineCommands } from './timeline-commands.ts';
import { Tooltip } from './Tooltip.tsx';
import { AXIS_HEIGHT, fitCanvas, useSize } from './use-canvas.ts';
import { useFrameTask } from './use-frame-task.ts';
import { type Hover, usePointer } from './use-pointer.ts';
import { useViewport } from './use-viewport.ts';

/** The lanes of all requests over one axis of time, which begins with each request. */
export function TimelineView({ theme }: { theme: 'light' | 'dark' }) {
  const controller = useController();
  const trace = useWindowState(activeTrace);
  const marks = useWindowState(activeMarks);
  const lane = useWindowState(selectedLane);
  const version = useWindowState((state) => state.live?.version ?? 0);
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const axis = useRef<HTMLCanvasElement>(null);
  const size = useSize(scroller);
  const [hover, setHover] = useState<Hover | null>(null);
  const [scrollTop, setScrollTop] = useState(0);

  const groups = trace.groups;
  const metrics = size.height >= TALL_FROM_PX ? TALL_METRICS : ROW_METRICS;
  const rows = useMemo(
    () => layoutRows(groups, marks.collapsed, lane, metrics),
    [groups, marks.collapsed, lane, metrics],
  );
  const palette = useMemo(() => ({ theme, colours: readPalette() }), [theme]);
  const latest = useRef({ trace, rows, lane, marks, hover, size, palette });
  latest.current = { trace, rows, lane, marks, hover, size, palette };

  const endMs = useCallback(() => latest.current.trace.endMs, []);
  const drawing = useFrameTask(() => {
    const { rows, lane, marks, hover, size, palette } = latest.current;
    const top = scroller.current?.scrollTop ?? 0;
    const scene: Scene = {
      rows,
      view: view.now(),
      width: size.width,
      height: size.height,
      scrollTop: top,
      selected: lane,
      token: marks.token,
      hovered: hover,
      range: marks.range,
    };
    const context = fitCanvas(canvas.current, size.width, size.height);
    if (context !== null) drawScene(context, scene, palette.colours);
    const axisContext = fitCanvas(axis.current, size.width, AXIS_HEIGHT);
    if (axisContext !== null) drawAxis(axisContext, scene, AXIS_HEIGHT, palette.colours);
  });
  const redraw = useCallback(() => drawing.request(), [drawing]);
  const view = useViewport(endMs, redraw);
  useLayoutEffect(() => drawing.request(), [drawing, trace, rows, lane, marks, hover, size, palette, version]);

  const pointer = usePointer({ canvas, scroller, latest, view, setHover, controller });
  useTimelineCommands((id) => timelineCommands(id, { latest, view, scroller, controller, pointerX: pointer.x }));

  const shown = trace.groups[lane?.group ?? -1];
  return (
    <div className="timeline">
      <div className="axis">
        <div className="axis-label">{counted(trace.groups.filter(({ cold }) => !cold).length, 'run')}</div>
        <canvas ref={axis} className="axis-canvas" aria-hidden="true" />
      </div>
      <div
        ref={scroller}
        className="lanes"
        role="group"
        aria-label="Timeline: arrow keys select samples and tokens"
        tabIndex={0}
        onScroll={(event) => {
          setScrollTop(event.currentTarget.scrollTop);
          drawing.request();
        }}
      >
        <div className="lanes-inner" style={{ height: rows.height }}>
          <canvas
            ref={canvas}
            className="lanes-canvas"
            role="img"
            aria-label={shown === undefined || lane === null ? 'Lanes, nothing selected' : describeLane(shown, lane)}
            {...pointer.handlers}
          />
          <Gutter
            rows={rows}
            scrollTop={scrollTop}
            height={size.height}
            selected={lane}
            collapsed={marks.collapsed}
            version={version}
          />
        </div>
      </div>
      {hover !== null && <Tooltip hover={hover} />}
    </div>
  );
}
