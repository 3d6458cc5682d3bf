import { count, counted, ms } from '../../shared/units.ts';
import { useWindowState } from '../state/context.ts';
import type { LiveTrace } from '../trace/live-trace.ts';
import { waitOf } from '../trace/lane.ts';
import { replyTail } from './reply-tail.ts';

/** Which step it is, how far the run has come, and the reply as it is written. */
export function LiveHeader({ trace, onStop }: { trace: LiveTrace; version: number; onStop: () => void }) {
  const run = useWindowState((state) => state.app?.run ?? null);
  const { current } = trace;
  const stopping = run?.phase === 'stopping';
  // Not counted from events: a window that comes late has not heard of the step that is going on.
  const step = run?.step ?? null;
  const words = stopping ? 'stopping at the next token' : (step?.words ?? 'starting');
  const begun = step === null ? 0 : step.index + 1;
  const total = step?.count ?? 0;
  return (
    <header className="headline live-headline">
      <div className="live-title">
        <div>
          <h1>
            <bdi>{words}</bdi>
          </h1>
          <p>
            {total > 0 && `Step ${count(begun)} of ${count(total)} · `}
            {run?.model_name} · {counted(trace.tokens, 'token')} so far
          </p>
        </div>
        <button type="button" className="stop" onClick={onStop} disabled={stopping}>
          {stopping ? 'Stopping' : 'Stop'} <kbd>Esc</kbd>
        </button>
      </div>
      <progress aria-label="Steps of the plan" max={Math.max(1, total)} value={step?.index ?? 0} />
      <div className="live-reply">
        {current === null || current.count === 0 ? (
          <span className="muted">Waiting for the first token: the model is evaluating the prompt.</span>
        ) : (
          <>
            <span className="live-figures">
              wait {ms(waitOf(current))} · {counted(current.count, 'token')}
            </span>
            <bdi className="live-text">{replyTail(current.texts, current.text)}</bdi>
          </>
        )}
      </div>
    </header>
  );
}
