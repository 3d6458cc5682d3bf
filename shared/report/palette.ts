/** The colours of the report. Those that mean something are Okabe and Ito's, darkened or lightened for the theme. */
export interface ReportPalette {
  readonly page: string;
  readonly card: string;
  readonly line: string;
  readonly ink: string;
  readonly muted: string;
  readonly faint: string;
  readonly tokenization: string;
  readonly wait: string;
  /** Intervals: usual, slower, slow. */
  readonly pace: readonly [string, string, string];
  readonly stall: string;
  /** The hatching on a stall. */
  readonly hatch: string;
  /** Marks between the chunks of a prompt. */
  readonly chunk: string;
  readonly decodeLine: string;
}

export const REPORT_THEMES = ['light', 'dark'] as const;
export type ReportTheme = (typeof REPORT_THEMES)[number];

export const PALETTES: { readonly [theme in ReportTheme]: ReportPalette } = {
  light: {
    page: '#ffffff',
    card: '#f5f6f8',
    line: '#d9dee4',
    ink: '#1b1f24',
    muted: '#4d5762',
    faint: '#6a7480',
    tokenization: '#97a1ad',
    wait: '#0072B2',
    pace: ['#f3c766', '#E69F00', '#b97a00'],
    stall: '#D55E00',
    hatch: '#ffffff',
    chunk: '#ffffff',
    decodeLine: '#8a5f00',
  },
  dark: {
    page: '#0e1116',
    card: '#171d25',
    line: '#2c3540',
    ink: '#e8edf2',
    muted: '#aab4c0',
    faint: '#8b96a3',
    tokenization: '#8d98a6',
    wait: '#3f9bd8',
    pace: ['#9a7020', '#c98d10', '#f0b02a'],
    stall: '#ff7a33',
    hatch: '#0e1116',
    chunk: '#0e1116',
    decodeLine: '#f0b02a',
  },
};
