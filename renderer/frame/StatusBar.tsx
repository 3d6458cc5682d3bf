import { useController, useWindowState } from '../state/context.ts';
import { ms } from '../../shared/units.ts';
import { activeMarks } from '../state/select.ts';

export function StatusBar({ timeline }: { timeline: boolean }) {
  const range = useWindowState((state) => activeMarks(state).range);
  const opening = useWindowState((state) => state.app?.opening[0]);
  const controller = useController();
  return (
    <footer className="status-bar">
      <span className="status-opening" role="status">
        {opening !== undefined && (
          <>
            <progress aria-label={`Opening ${opening}`} /> Opening <bdi>{opening}</bdi>
          </>
        )}
      </span>
      <span hidden={opening !== undefined}>
        {range === null
          ? 'Local trace: starts before tokenization; no queue, no transport.'
          : `Range of ${ms(range.to - range.from)}`}
      </span>
      <span className="status-keys">
        {timeline && (
          <>
            <span>
              <kbd>W</kbd> <kbd>S</kbd> zoom
            </span>
            <span>
              <kbd>A</kbd> <kbd>D</kbd> pan
            </span>
            <span>
              <kbd>F</kbd> fit
            </span>
            <span>
              <kbd>,</kbd> <kbd>.</kbd> stalls
            </span>
          </>
        )}
        <button type="button" className="quiet" onClick={() => controller.openDialog({ kind: 'keys' })}>
          <kbd>?</kbd> keys
        </button>
      </span>
    </footer>
  );
}
