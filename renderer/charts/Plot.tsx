import { useLayoutEffect, useRef } from 'react';
import uPlot from 'uplot';
import { busy } from '../idle.ts';

interface Props {
  title: string;
  /** The chart in words: what it shows and its figures. */
  words: string;
  /** Everything but the size. A new object builds the plot anew; new data alone does not. */
  options: Omit<uPlot.Options, 'width' | 'height'>;
  data: uPlot.AlignedData;
  children?: React.ReactNode;
}

/** A plot that fills its card. */
export function Plot({ title, words, options, data, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const drawn = useRef(data);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const size = () => ({ width: Math.max(40, element.clientWidth), height: Math.max(40, element.clientHeight) });
    const made = new uPlot({ ...options, ...size() }, drawn.current, element);
    plot.current = made;
    const observer = new ResizeObserver(() => {
      const next = size();
      if (next.width === made.width && next.height === made.height) return;
      const done = busy();
      made.setSize(next);
      done();
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [options]);

  useLayoutEffect(() => {
    if (drawn.current === data) return;
    drawn.current = data;
    plot.current?.setData(data);
  }, [data]);

  return (
    <figure className="chart">
      <figcaption>{title}</figcaption>
      <div ref={box} className="plot" role="img" aria-label={`${title}. ${words}`} />
      {children}
    </figure>
  );
}
