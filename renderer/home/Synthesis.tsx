import type { AppState } from '../../shared/host.ts';
import { bytes, percent } from '../../shared/units.ts';
import { useController } from '../state/context.ts';

/** Shapes that can be written on request, and how far the one that is being written has come. */
export function Synthesis({ app, onMade }: { app: AppState; onMade?: (id: string) => void }) {
  const controller = useController();
  const { synthesis, presets } = app;
  const make = async (preset: string): Promise<void> => {
    const made = await controller.synthesize(preset);
    if (made?.value === undefined) return;
    controller.notify('info', 'The model is ready: it is in the list of models.');
    onMade?.(made.value.id);
  };
  return (
    <ul className="presets">
      {presets.map(({ name, label, description, bytes: size }) => {
        const running = synthesis?.preset === name ? synthesis : null;
        const share = running === null || running.total_bytes === 0 ? 0 : running.done_bytes / running.total_bytes;
        return (
          <li key={name}>
            <div className="preset-words">
              <strong>{label}</strong> <span className="muted">{bytes(size)}</span>
              <p className="hint">{description}</p>
            </div>
            {running === null ? (
              <button
                type="button"
                className="second"
                aria-label={`Synthesize ${label}`}
                disabled={synthesis !== null}
                onClick={() => void make(name)}
              >
                Synthesize
              </button>
            ) : (
              <div className="preset-progress">
                <progress max={1} value={share} aria-label={`Writing ${label}`} />
                <span>
                  {percent(share)} of {bytes(running.total_bytes)}
                </span>
                <button type="button" className="quiet" onClick={() => void controller.cancelSynthesis()}>
                  Cancel
                </button>
              </div>
            )}
          </li>
        );
      })}
    </ul>
  );
}
