import { useState } from 'react';
import { type FormProblems, type PlanForm, type RunForm, copyOfRun, newKey, problemAt } from './plan-form.ts';
import { RunFields } from './RunFields.tsx';

interface Props {
  form: PlanForm;
  problems: FormProblems;
  onChange: (form: PlanForm) => void;
}

/** The runs of the plan, and the fields of the chosen one. */
export function RunList({ form, problems, onChange }: Props) {
  const [chosen, setChosen] = useState(0);
  const index = Math.min(chosen, form.runs.length - 1);
  const run = form.runs[index];
  const setRuns = (runs: RunForm[]): void => onChange({ ...form, runs });
  const names = form.runs.map(({ name }) => name);

  const add = (): void => {
    const base = run ?? emptyRun();
    setRuns([...form.runs, { ...emptyRun(), prompt: base.prompt, name: freeName(names) }]);
    setChosen(form.runs.length);
  };
  const duplicate = (): void => {
    if (run === undefined) return;
    setRuns(form.runs.toSpliced(index + 1, 0, copyOfRun(run, names)));
    setChosen(index + 1);
  };
  return (
    <div className="run-list">
      <div className="run-names">
        <ul>
          {form.runs.map((entry, place) => {
            const problem = problemAt(problems, `runs.${place}`);
            return (
              <li key={entry.key}>
                <button type="button" aria-pressed={place === index} onClick={() => setChosen(place)}>
                  {problem !== undefined && (
                    <span className="stall-ink">
                      ✕<span className="hidden"> has a mistake: </span>
                    </span>
                  )}
                  <bdi>{entry.name === '' ? '(no name)' : entry.name}</bdi>
                </button>
              </li>
            );
          })}
        </ul>
        <div className="run-tools">
          <button type="button" className="quiet" onClick={add}>
            Add
          </button>
          <button type="button" className="quiet" disabled={run === undefined} onClick={duplicate}>
            Duplicate
          </button>
          <button
            type="button"
            className="quiet"
            disabled={form.runs.length < 2}
            title={form.runs.length < 2 ? 'a plan needs at least one run' : undefined}
            onClick={() => setRuns(form.runs.toSpliced(index, 1))}
          >
            Remove
          </button>
        </div>
      </div>
      {run !== undefined && (
        <RunFields
          key={run.key}
          run={run}
          index={index}
          problems={problems}
          onChange={(change) => setRuns(form.runs.with(index, { ...run, ...change }))}
        />
      )}
    </div>
  );
}

function emptyRun(): RunForm {
  return {
    key: newKey(),
    name: '',
    prompt: '',
    max_new_tokens: '24',
    use_cache: true,
    chunk_size: '',
    cancel_after: '',
    repeats: '5',
    logits: 'last',
  };
}

function freeName(taken: readonly string[]): string {
  let number = taken.length + 1;
  while (taken.includes(`run_${number}`)) number += 1;
  return `run_${number}`;
}
