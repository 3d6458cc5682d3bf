import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { EXPORT_FORMATS, exportFormat } from '../../shared/export-formats.ts';
import type { HostError } from '../../shared/host.ts';
import { Modal } from '../frame/Modal.tsx';
import { useController, useWindowState } from '../state/context.ts';
import { activeRecord } from '../state/select.ts';
import type { OpenedRecord } from '../state/state.ts';
import { parseScale, SCALES, THEMES } from './export-choice.ts';
import { PixelSize } from './PixelSize.tsx';
import { ReportSheet } from './ReportSheet.tsx';
import { textPreview } from './text-preview.ts';

/** What the record is handed over as: format, scale, theme, and a look at it. */
export function ExportDialog() {
  const open = useWindowState(activeRecord);
  const id = useWindowState((state) => state.active);
  if (open?.status !== 'ready' || id === null) return null;
  return <ExportForm open={open} id={id} />;
}

function ExportForm({ open, id }: { open: OpenedRecord; id: string }) {
  const controller = useController();
  const choice = useWindowState((state) => state.exportChoice);
  const windowTheme = document.documentElement.dataset['theme'] === 'light' ? 'light' : 'dark';
  const [refusal, setRefusal] = useState<HostError | null>(null);
  const [working, setWorking] = useState(false);
  const preview = useRef<HTMLDivElement>(null);
  const choices = useRef<HTMLDivElement>(null);
  // After the dialog has opened, which takes the focus to its first button.
  useEffect(() => choices.current?.querySelector<HTMLInputElement>('input:checked')?.focus(), []);
  const format = exportFormat(choice.format);
  const theme = choice.theme ?? windowTheme;
  const scale = parseScale(choice.scale);
  const needsScale = format.id === 'png';
  const change = (next: Partial<typeof choice>): void => {
    setRefusal(null);
    controller.setExportChoice({ ...choice, ...next });
  };
  const submit = async (): Promise<void> => {
    if (working || (needsScale && !scale.ok)) return;
    setWorking(true);
    setRefusal(null);
    setRefusal(
      await controller.exportFile({ id, format: format.id, scale: needsScale && scale.ok ? scale.scale : 1, theme }),
    );
    setWorking(false);
  };
  return (
    <Modal title="Export" className="export" onClose={() => controller.openDialog(null)}>
      <form
        className="export-form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <div ref={choices} className="export-choices" tabIndex={0} role="group" aria-label="What to export">
          <fieldset className="export-formats">
            <legend>Format</legend>
            {EXPORT_FORMATS.map(({ id: value, label, about }) => (
              <label key={value}>
                <input
                  type="radio"
                  name="format"
                  checked={value === choice.format}
                  onChange={() => change({ format: value })}
                />
                <span>
                  {label} {value === choice.format && <span className="muted">{about}</span>}
                </span>
              </label>
            ))}
          </fieldset>
          {format.draws && (
            <fieldset className="export-line">
              <legend>Theme</legend>
              {THEMES.map(([value, label]) => (
                <label key={value}>
                  <input
                    type="radio"
                    name="theme"
                    checked={value === theme}
                    onChange={() => change({ theme: value })}
                  />
                  {label}
                </label>
              ))}
            </fieldset>
          )}
          {needsScale && (
            <ScaleField
              value={choice.scale}
              problem={scale.ok ? null : scale.problem}
              onChange={(value) => change({ scale: value })}
            >
              <PixelSize sheet={preview} scale={scale.ok ? scale.scale : null} of={`${id} ${theme}`} />
            </ScaleField>
          )}
        </div>
        <ExportPreview open={open} theme={theme} sheet={preview} />
        <div className="export-foot">
          <div className="export-refusal" role="alert">
            {refusal !== null && (
              <p dir="auto">
                ✕ {refusal.message}.{refusal.remedy !== null && ` What to do: ${refusal.remedy}.`}
              </p>
            )}
          </div>
          {format.id === 'png' && (
            <button
              type="button"
              className="second"
              disabled={!scale.ok}
              onClick={() => {
                if (!scale.ok) return;
                controller.openDialog(null);
                void controller.copyPicture({ id, theme, scale: scale.scale });
              }}
            >
              Copy image
            </button>
          )}
          <button type="submit" className="primary" disabled={working || (needsScale && !scale.ok)}>
            {working ? 'Exporting…' : `Export ${format.label}`}
          </button>
        </div>
      </form>
    </Modal>
  );
}

interface ScaleProps {
  value: string;
  problem: string | null;
  onChange: (value: string) => void;
  children: React.ReactNode;
}

function ScaleField({ value, problem, onChange, children }: ScaleProps) {
  const id = useId();
  return (
    <div className="export-scale">
      <label htmlFor={id}>Scale</label>
      <input
        id={id}
        type="text"
        inputMode="decimal"
        list={`${id}-scales`}
        value={value}
        aria-invalid={problem !== null}
        aria-describedby={`${id}-help`}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={`${id}-scales`}>
        {SCALES.map((scale) => (
          <option key={scale} value={scale} />
        ))}
      </datalist>
      <p id={`${id}-help`} className={problem === null ? 'hint' : 'problem'} aria-live="polite">
        {problem === null ? children : `✕ ${problem}`}
      </p>
    </div>
  );
}

function ExportPreview({
  open,
  theme,
  sheet,
}: {
  open: OpenedRecord;
  theme: 'light' | 'dark';
  sheet: React.RefObject<HTMLDivElement | null>;
}) {
  const format = useWindowState((state) => state.exportChoice.format);
  const { draws, label } = exportFormat(format);
  const text = useMemo(() => (draws ? '' : textPreview(open, format)), [open, format, draws]);
  return (
    <div className="export-preview" tabIndex={0} role="group" aria-label={`Preview of ${label}`} data-own-arrows>
      {draws ? (
        <div ref={sheet} className={`report-sheet ${theme}`}>
          <ReportSheet open={open} theme={theme} />
        </div>
      ) : (
        <pre dir="auto">{text}</pre>
      )}
    </div>
  );
}
