import { commandNamed, keyLabel } from '../../shared/commands.ts';
import { counted } from '../../shared/units.ts';
import { useController, useWindowState } from '../state/context.ts';
import type { OpenedRecord } from '../state/state.ts';
import { REPORT_SCALE, THEMES } from './export-choice.ts';
import { ReportSheet } from './ReportSheet.tsx';

interface Props {
  id: string;
  open: OpenedRecord;
  /** Of the window. */
  theme: 'light' | 'dark';
}

/** The report, to look at before it is handed over. */
export function ReportPage({ id, open, theme }: Props) {
  const controller = useController();
  const choice = useWindowState((state) => state.exportChoice);
  const shown = choice.theme ?? theme;
  const [key] = commandNamed('export').keys;
  const runs = open.record.runs.length;
  return (
    <main className="report-page">
      <div className="report-tools">
        <h1>
          Report{' '}
          <span className="muted">
            {runs === 0 ? 'no run was measured: it holds what is known of the model' : counted(runs, 'run')}
          </span>
        </h1>
        <div className="segments" role="group" aria-label="Theme of the report">
          {THEMES.map(([value, label]) => (
            <button
              key={value}
              type="button"
              aria-pressed={shown === value}
              onClick={() => controller.setExportChoice({ ...choice, theme: value })}
            >
              {label}
            </button>
          ))}
        </div>
        <button
          type="button"
          className="second"
          onClick={() => void controller.copyPicture({ id, theme: shown, scale: REPORT_SCALE })}
        >
          Copy image
        </button>
        <button type="button" className="primary" onClick={() => controller.openDialog({ kind: 'export' })}>
          Export {key !== undefined && <kbd>{keyLabel(key, navigator.platform.startsWith('Mac'))}</kbd>}
        </button>
      </div>
      <div className="report-scroll" tabIndex={0} role="group" aria-label="Preview of the report" data-own-arrows>
        <div className={`report-sheet ${shown}`}>
          <ReportSheet open={open} theme={shown} />
        </div>
      </div>
    </main>
  );
}
