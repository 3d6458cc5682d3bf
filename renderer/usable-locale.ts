/**
 * A system with LANG=C tells Chromium a language tag that Intl refuses (`en-US@posix`), and uPlot asks Intl for it while
 * it is being imported. To be imported before it; all figures are written by shared/units.ts, the same everywhere.
 */
try {
  Intl.getCanonicalLocales(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true });
}
