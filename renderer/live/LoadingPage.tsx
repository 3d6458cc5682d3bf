import type { RunState } from '../../shared/host.ts';
import { useController } from '../state/context.ts';

/** Between the start of a run and its first step. */
export function LoadingPage({ run }: { run: RunState }) {
  const controller = useController();
  const what = run.stage === null ? 'Starting the inference process' : `Loading the ${run.stage}`;
  return (
    <main className="loading-page">
      <h1>{what}</h1>
      <p>
        <bdi>{run.model_name}</bdi> for <bdi>{run.plan_name}</bdi>. Loading is measured apart from every request.
      </p>
      <progress aria-label={what} />
      <button type="button" className="stop" onClick={() => void controller.stop()}>
        Stop <kbd>Esc</kbd>
      </button>
    </main>
  );
}
