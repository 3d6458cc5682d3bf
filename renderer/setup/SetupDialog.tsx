import { useMemo, useState } from 'react';
import { STANDARD_SUITE } from '../../shared/standard-suite.ts';
import { counted } from '../../shared/units.ts';
import { Modal } from '../frame/Modal.tsx';
import { useController, useWindowState } from '../state/context.ts';
import type { RunSetup } from '../state/controller.ts';
import { ModelPicker } from './ModelPicker.tsx';
import { PlanAsText } from './PlanAsText.tsx';
import { type PlanForm, checkForm, formOfPlan, planText } from './plan-form.ts';
import { PlanFields } from './PlanFields.tsx';
import { RunList } from './RunList.tsx';

type Page = 'model' | 'runs' | 'plan' | 'text';
const PAGES: readonly { id: Page; label: string }[] = [
  { id: 'model', label: 'Model' },
  { id: 'runs', label: 'Runs' },
  { id: 'plan', label: 'Whole plan' },
  { id: 'text', label: 'As text' },
];

function initialForm({ form, plan }: RunSetup): PlanForm {
  return form ?? formOfPlan(plan ?? STANDARD_SUITE);
}

/** What is to run: a model, and the standard suite or a plan of one's own. */
export function SetupDialog() {
  const controller = useController();
  const app = useWindowState((state) => state.app);
  const [page, setPage] = useState<Page>('model');
  const [form, setForm] = useState<PlanForm>(() => initialForm(controller.getSetup()));
  const [model, setModel] = useState(controller.getSetup().model);
  const checked = useMemo(() => checkForm(form), [form]);
  if (app === null) return null;
  const usable = app.models.filter(({ problem }) => problem === null);
  const chosen = usable.find(({ id }) => id === model)?.id ?? usable[0]?.id ?? null;
  const requests = form.runs.length;

  const keep = (): void => {
    controller.setSetup({ model: chosen, plan: checked.ok ? checked.plan : null, form });
  };
  const close = (): void => {
    keep();
    controller.openDialog(null);
  };
  const count = checked.problems.size;
  return (
    <Modal title="Set up a run" className="setup" onClose={close}>
      <div className="setup-pages" role="group" aria-label="Parts of the setup">
        {PAGES.map(({ id, label }) => (
          <button key={id} type="button" aria-pressed={page === id} onClick={() => setPage(id)}>
            {label}
          </button>
        ))}
        <span className="setup-suite">
          <button type="button" className="quiet" onClick={() => setForm(formOfPlan(STANDARD_SUITE))}>
            Back to the standard suite
          </button>
        </span>
      </div>
      <div className="setup-body" tabIndex={0} role="group" aria-label="Fields" data-own-arrows>
        {page === 'model' && <ModelPicker app={app} chosen={chosen} onChoose={setModel} />}
        {page === 'runs' && <RunList form={form} problems={checked.problems} onChange={setForm} />}
        {page === 'plan' && <PlanFields form={form} problems={checked.problems} onChange={setForm} />}
        {page === 'text' && <PlanAsText text={checked.ok ? planText(checked.plan) : null} onApply={setForm} />}
      </div>
      <footer className="setup-foot">
        <p aria-live="polite" className={count > 0 ? 'problem' : 'hint'}>
          {count > 0
            ? `✕ ${counted(count, 'mistake')} in the plan: ${[...checked.problems.keys()][0]?.replaceAll('.', ' › ')}`
            : `${form.name}: ${counted(requests, 'run')} on ${app.models.find(({ id }) => id === chosen)?.name ?? 'no model'}`}
        </p>
        <button type="button" className="second" onClick={close}>
          Close
        </button>
        <button
          type="button"
          className="primary"
          disabled={!checked.ok || chosen === null || app.run !== null}
          onClick={() => {
            keep();
            void controller.run();
          }}
        >
          {app.run === null ? 'Run' : 'A run is going on'}
        </button>
      </footer>
    </Modal>
  );
}
