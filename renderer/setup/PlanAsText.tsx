import { type ChangeEvent, useRef, useState } from 'react';
import { copyText } from '../frame/copy.ts';
import { useController } from '../state/context.ts';
import { type PlanForm, readPlanText } from './plan-form.ts';

interface Props {
  /** The plan as it is, or null while the form is not valid. */
  text: string | null;
  onApply: (form: PlanForm) => void;
}

/** The plan as text: to copy, to paste, to load from a file and to save. */
export function PlanAsText({ text, onApply }: Props) {
  const controller = useController();
  const [edited, setEdited] = useState<string | null>(null);
  const [problems, setProblems] = useState<readonly string[]>([]);
  const file = useRef<HTMLInputElement>(null);
  const shown = edited ?? text ?? '';

  const apply = (source: string): void => {
    const read = readPlanText(source);
    setProblems(read.ok ? [] : read.problems);
    if (!read.ok) return;
    setEdited(null);
    onApply(read.form);
  };
  const load = async (event: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const chosen = event.target.files?.[0];
    event.target.value = '';
    if (chosen === undefined) return;
    const source = await chosen.text();
    setEdited(source);
    apply(source);
  };
  return (
    <div className="plan-text">
      <label htmlFor="plan-json">Plan as JSON</label>
      <textarea
        id="plan-json"
        rows={16}
        spellCheck={false}
        value={shown}
        aria-invalid={problems.length > 0}
        aria-describedby="plan-json-problems"
        placeholder={text === null ? 'The form has a mistake: correct it there first, or paste a plan here.' : ''}
        onChange={(event) => setEdited(event.target.value)}
      />
      <ul id="plan-json-problems" className="problem" aria-live="polite">
        {problems.map((problem) => (
          <li key={problem}>✕ {problem}</li>
        ))}
      </ul>
      <div className="modal-buttons">
        <button type="button" className="second" disabled={edited === null} onClick={() => apply(shown)}>
          Use this text
        </button>
        <button type="button" className="quiet" onClick={() => file.current?.click()}>
          Load from a file
        </button>
        <input
          ref={file}
          type="file"
          accept=".json,application/json"
          className="hidden"
          tabIndex={-1}
          aria-label="Plan file"
          onChange={(event) => void load(event)}
        />
        <button
          type="button"
          className="quiet"
          disabled={shown === ''}
          onClick={() => void copyText(controller, shown, 'The plan')}
        >
          Copy
        </button>
        <button type="button" className="quiet" disabled={shown === ''} onClick={() => saveText(shown)}>
          Save to a file
        </button>
      </div>
    </div>
  );
}

function saveText(text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = 'plan.json';
  link.click();
  URL.revokeObjectURL(url);
}
