import { ComparePage } from '../compare/ComparePage.tsx';
import { Home } from '../home/Home.tsx';
import { LivePage } from '../live/LivePage.tsx';
import { LoadingPage } from '../live/LoadingPage.tsx';
import { RecordView } from '../record-view/RecordView.tsx';
import { RefusedView } from '../record-view/RefusedView.tsx';
import { ExportDialog } from '../report/ExportDialog.tsx';
import { ReportPage } from '../report/ReportPage.tsx';
import { SetupDialog } from '../setup/SetupDialog.tsx';
import { useController, useWindowState } from '../state/context.ts';
import { activeRecord } from '../state/select.ts';
import { LIVE, type OpenedRecord, type RecordState, type View } from '../state/state.ts';
import { TimelinePage } from '../timeline/TimelinePage.tsx';
import { CloseQuestion } from './CloseQuestion.tsx';
import { DropZone } from './DropZone.tsx';
import { KeySheet } from './KeySheet.tsx';
import { Notices, Spoken } from './Notices.tsx';
import { StatusBar } from './StatusBar.tsx';
import { useTheme } from './theme.ts';
import { TopBar } from './TopBar.tsx';

/** The window. */
export function App() {
  const theme = useTheme();
  const app = useWindowState((state) => state.app);
  const lost = useWindowState((state) => state.lost);
  const view = useWindowState((state) => state.view);
  const active = useWindowState((state) => state.active);
  const record = useWindowState(activeRecord);
  if (lost !== null) return <Lost reason={lost} />;
  if (app === null) return <Waiting words="Starting" />;
  const timeline = active === LIVE || (record?.status === 'ready' && (view === 'timeline' || view === 'compare'));
  return (
    <div className="window">
      <TopBar app={app} />
      <Content theme={theme} />
      <StatusBar timeline={timeline} />
      <Notices />
      <Spoken />
      <DropZone />
      <Dialogs />
    </div>
  );
}

function Content({ theme }: { theme: 'light' | 'dark' }) {
  const app = useWindowState((state) => state.app);
  const view = useWindowState((state) => state.view);
  const active = useWindowState((state) => state.active);
  const measuring = useWindowState((state) => state.live !== null);
  const record = useWindowState(activeRecord);
  if (app === null) return null;
  if (active === LIVE && measuring) return <LivePage theme={theme} />;
  if (app.run !== null && active === LIVE) return <LoadingPage run={app.run} />;
  if (active === null || record === null) return <Home app={app} />;
  return <RecordPage record={record} view={view} theme={theme} id={active} />;
}

interface RecordProps {
  record: RecordState;
  view: View;
  theme: 'light' | 'dark';
  id: string;
}

function RecordPage({ record, view, theme, id }: RecordProps) {
  const controller = useController();
  switch (record.status) {
    case 'loading':
      return <Waiting words="Reading the record" />;
    case 'error':
      return (
        <main className="loading-page" role="alert">
          <h1>The record cannot be shown</h1>
          <p dir="auto">
            {record.error.path !== null && <code>{record.error.path}</code>} {record.error.message}
          </p>
          {record.error.remedy !== null && <p>What to do: {record.error.remedy}.</p>}
          <button type="button" className="second" onClick={() => void controller.close(id)}>
            Close the tab
          </button>
        </main>
      );
    case 'refused':
      return (
        <main className="scroll-main">
          <RefusedView problems={record.problems} readable={record.readable} />
        </main>
      );
    case 'ready':
      return <ReadyPage open={record} view={view} theme={theme} id={id} />;
  }
}

function ReadyPage({ open, view, theme, id }: Omit<RecordProps, 'record'> & { open: OpenedRecord }) {
  switch (view) {
    case 'timeline':
      return <TimelinePage key={id} open={open} theme={theme} />;
    case 'compare':
      return <ComparePage key={id} id={id} open={open} theme={theme} />;
    case 'report':
      return <ReportPage key={id} id={id} open={open} theme={theme} />;
    case 'record':
      return (
        <main className="scroll-main">
          <RecordView record={open.record} summary={open.summary} />
        </main>
      );
  }
}

function Waiting({ words }: { words: string }) {
  return (
    <main className="loading-page">
      <h1>{words}</h1>
      <progress aria-label={words} />
    </main>
  );
}

function Lost({ reason }: { reason: string }) {
  return (
    <main className="loading-page" role="alert">
      <h1>The application cannot be reached</h1>
      <p>{reason}</p>
      <p>Start it again, then reload this page. A run in progress is kept in its journal.</p>
      <button type="button" className="primary" onClick={() => location.reload()}>
        Reload
      </button>
    </main>
  );
}

function Dialogs() {
  const dialog = useWindowState((state) => state.dialog);
  switch (dialog?.kind) {
    case undefined:
      return null;
    case 'setup':
      return <SetupDialog />;
    case 'keys':
      return <KeySheet />;
    case 'export':
      return <ExportDialog />;
    case 'close':
      return <CloseQuestion id={dialog.id} name={dialog.name} />;
  }
}
