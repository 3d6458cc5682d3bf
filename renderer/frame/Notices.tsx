import { useController, useWindowState } from '../state/context.ts';

/**
 * Messages that stay until they are dismissed; they are said as they come. While a dialog is open they are a part of it:
 * what lies behind it can be neither seen nor reached.
 */
export function Notices({ inDialog = false }: { inDialog?: boolean }) {
  const notices = useWindowState((state) => state.notices);
  const open = useWindowState((state) => state.dialog !== null);
  const controller = useController();
  if (open !== inDialog) return null;
  return (
    <section className="notices" aria-label="Messages" aria-live="polite">
      {notices.map(({ id, kind, message, remedy }) => (
        <div key={id} className={`notice ${kind}`} role={kind === 'error' ? 'alert' : undefined}>
          <span aria-hidden="true" className="notice-mark">
            {kind === 'error' ? '✕' : '✓'}
          </span>
          <p dir="auto">
            {message}
            {remedy !== null && <span className="muted"> What to do: {remedy}.</span>}
          </p>
          <button
            type="button"
            className="icon"
            aria-label="Dismiss the message"
            onClick={() => controller.dismiss(id)}
          >
            ✕
          </button>
        </div>
      ))}
    </section>
  );
}

/** What the eye sees on a canvas, for the ear. */
export function Spoken() {
  const spoken = useWindowState((state) => state.spoken);
  return (
    <p className="hidden" role="status">
      {spoken}
    </p>
  );
}
