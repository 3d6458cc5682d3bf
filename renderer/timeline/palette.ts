/** The colours that canvases draw with: the style sheet's custom properties, read once for each theme. */
export interface Palette {
  readonly ink: string;
  readonly muted: string;
  readonly grid: string;
  readonly line: string;
  readonly page: string;
  readonly selected: string;
  readonly accent: string;
  readonly range: string;
  readonly tokenization: string;
  readonly wait: string;
  readonly onWait: string;
  readonly chunk: string;
  /** By pace: first token, usual, slower, slow, stall. */
  readonly pace: readonly string[];
  readonly onPace: readonly string[];
  readonly series: readonly string[];
  readonly font: string;
}

export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string): string => style.getPropertyValue(name).trim();
  return {
    ink: read('--ink'),
    muted: read('--muted'),
    grid: read('--grid'),
    line: read('--line'),
    page: read('--page'),
    selected: read('--selected'),
    accent: read('--accent'),
    range: read('--range'),
    tokenization: read('--tokenization'),
    wait: read('--wait'),
    onWait: read('--on-wait'),
    chunk: read('--chunk'),
    pace: ['--wait', '--pace-1', '--pace-2', '--pace-3', '--stall'].map(read),
    onPace: ['--on-wait', '--on-pace-1', '--on-pace-2', '--on-pace-3', '--on-stall'].map(read),
    series: ['--series-1', '--series-2', '--series-3', '--series-4', '--series-5', '--series-6'].map(read),
    font: read('--font'),
  };
}
