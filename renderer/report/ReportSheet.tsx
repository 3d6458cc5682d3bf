import { memo } from 'react';
import { Report } from '../../shared/report/report.tsx';
import { useWindowState } from '../state/context.ts';
import type { OpenedRecord } from '../state/state.ts';
import { ReportBoundary } from './ReportBoundary.tsx';
import { useRecordId } from './record-id.ts';

interface Props {
  open: OpenedRecord;
  theme: 'light' | 'dark';
}

/** The report as it will be in the file: the same elements, drawn by the page. */
export function ReportSheet({ open, theme }: Props) {
  const version = useWindowState((state) => state.app?.version ?? '');
  const made = useRecordId(open.record);
  switch (made.status) {
    case 'loading':
      return (
        <div className="compare-message" role="status">
          <h2>Drawing the report</h2>
          <progress aria-label="Drawing the report" />
        </div>
      );
    case 'error':
      return (
        <div className="compare-message" role="alert">
          <h2>The report cannot be drawn</h2>
          <p>{made.message}</p>
        </div>
      );
    case 'ready':
      return (
        <ReportBoundary key={made.id}>
          <Drawn open={open} theme={theme} id={made.id} version={version} />
        </ReportBoundary>
      );
  }
}

/** Thousands of shapes: drawn anew only when one of these changes. */
const Drawn = memo(function Drawn({ open, theme, id, version }: Props & { id: string; version: string }) {
  const { record, summary } = open;
  return <Report record={record} summary={summary} theme={theme} provenance={{ id, version }} />;
});
