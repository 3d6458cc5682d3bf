import { Report, type ReportProps } from './report.tsx';
import { svgText } from './svg-text.ts';

/** The report as SVG text: the same text for the same props. */
export function renderReport(props: ReportProps): string {
  return svgText(<Report {...props} />);
}
