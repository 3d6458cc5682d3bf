import { count, ms } from '../../shared/units.ts';
import type { LiveTrace } from '../trace/live-trace.ts';

type StepState = 'waiting' | 'running' | 'done';

interface StepLine {
  name: string;
  state: StepState;
  size: string;
}

/** The plan with what is done of it. */
export function LiveSteps({ trace }: { trace: LiveTrace; version: number }) {
  const { plan, header, skipped } = trace.draft;
  return (
    <aside className="sidebar" aria-label="The plan">
      <section className="panel">
        <h2>
          <bdi>{plan.name}</bdi>
        </h2>
        <ul className="runs">
          {stepLines(trace).map(({ name, state, size }) => (
            <li key={name} className="run-line" aria-current={state === 'running' ? 'step' : undefined}>
              <span className={`dot ${state}`} aria-hidden="true" />
              <bdi className="run-name">{name}</bdi>
              <span className="muted">{size}</span>
              <span className="hidden">{state}</span>
            </li>
          ))}
        </ul>
        {skipped.map(({ step, reason }) => (
          <p key={step} className="hint">
            Not run: {step} ({reason})
          </p>
        ))}
      </section>
      <section className="panel">
        <h2>Model</h2>
        <dl className="facts">
          <div>
            <dt>
              <bdi>{header.model.id.split('/').at(-1)}</bdi>
            </dt>
            <dd>{header.model.dtype}</dd>
          </div>
          <div>
            <dt>{header.load.reused ? 'Loaded before in' : 'Loaded in'}</dt>
            <dd>{ms(header.load.model_ms)}</dd>
          </div>
        </dl>
      </section>
    </aside>
  );
}

function stepLines(trace: LiveTrace): StepLine[] {
  const { plan, step, samples, warmup, batches, prefixReuse } = trace.draft;
  const lines: StepLine[] = [];
  if (plan.warmup !== null) {
    const state = warmup !== undefined ? 'done' : step?.kind === 'warmup' ? 'running' : 'waiting';
    lines.push({ name: 'warm-up', state, size: '1' });
  }
  plan.runs.forEach((run, index) => {
    const done = samples[index]?.length ?? 0;
    const running = step?.kind === 'run' && step.run === index;
    const state = done >= run.repeats ? 'done' : running ? 'running' : 'waiting';
    lines.push({ name: run.name, state, size: `${count(done)} of ${count(run.repeats)}` });
  });
  if (plan.batch_sweep !== null) {
    const { batch_sizes: sizes } = plan.batch_sweep;
    const state = batches.length >= sizes.length ? 'done' : step?.kind === 'batch' ? 'running' : 'waiting';
    lines.push({ name: 'batch sweep', state, size: `${count(batches.length)} of ${count(sizes.length)}` });
  }
  if (plan.prefix_reuse !== null) {
    const state = prefixReuse !== undefined ? 'done' : step?.kind === 'prefix_reuse' ? 'running' : 'waiting';
    lines.push({ name: 'prefix reuse', state, size: '' });
  }
  return lines;
}
