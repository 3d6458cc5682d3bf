import { type RefObject, useEffect, useState } from 'react';
import { count } from '../../shared/units.ts';

/** How large the picture will be, from the page that is drawn in the preview. */
export function PixelSize({
  sheet,
  scale,
  of,
}: {
  sheet: RefObject<HTMLDivElement | null>;
  scale: number | null;
  /** Changes with what is drawn. */
  of: string;
}) {
  const [size, setSize] = useState<{ width: number; height: number } | null>(null);
  useEffect(() => {
    const element = sheet.current;
    if (element === null) return undefined;
    const measure = (): void => {
      const svg = element.querySelector('svg');
      const width = Number(svg?.getAttribute('width'));
      const height = Number(svg?.getAttribute('height'));
      setSize(svg === null || !(width > 0 && height > 0) ? null : { width, height });
    };
    measure();
    // The report is drawn a little later than the dialog.
    const observer = new MutationObserver(measure);
    observer.observe(element, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [sheet, of]);
  if (size === null || scale === null) return 'pixels for each of the page';
  return `${count(Math.ceil(size.width * scale))} × ${count(Math.ceil(size.height * scale))} pixels`;
}
