import type { AppState, ModelEntry } from '../../shared/host.ts';
import { bytes, count, percent, shortCount } from '../../shared/units.ts';
import { useController } from '../state/context.ts';

const AFTER_LOADING = 'known once it was loaded';

/** What is known of a model: where it comes from, and what it takes. */
export function ModelPanel({ app, model }: { app: AppState; model: ModelEntry }) {
  const { source, disk, info, place } = model;
  const reading = app.verification?.model === model.id ? app.verification : null;
  const rows: (readonly [string, string | null])[] = [
    ['Folder', place],
    ['Repository', source?.repository ?? null],
    ['Revision', source?.revision ?? null],
    ['Licence', source === null ? null : (source.license ?? 'its card names none')],
    ['Variant', source?.variant ?? null],
    ['Graph', disk?.graph ?? null],
    ['Weights', disk === null ? null : bytes(info?.weight_bytes ?? disk.weight_bytes)],
    ['Parameters', info === null ? AFTER_LOADING : shortCount(info.parameters)],
    ['Type', info === null ? AFTER_LOADING : (info.dtype ?? null)],
    [
      'KV cache',
      info === null
        ? AFTER_LOADING
        : info.kv_bytes_per_token === undefined
          ? null
          : `${bytes(info.kv_bytes_per_token)} per token`,
    ],
    ['Context', disk?.context_tokens === null || disk === null ? null : `${count(disk.context_tokens)} tokens`],
  ];
  return (
    <section className="model-panel" aria-label={`About ${model.name}`}>
      <dl className="facts wide">
        {rows.map(
          ([name, value]) =>
            value !== null && (
              <div key={name}>
                <dt>{name}</dt>
                <dd className={value === AFTER_LOADING ? 'muted' : undefined}>
                  <bdi>{value}</bdi>
                </dd>
              </div>
            ),
        )}
      </dl>
      {reading !== null && (
        <div className="preset-progress">
          <progress
            max={1}
            value={reading.total_bytes === 0 ? 0 : reading.done_bytes / reading.total_bytes}
            aria-label={`Reading ${model.name}`}
          />
          <span>
            {reading.total_bytes === 0
              ? 'reading'
              : `${percent(reading.done_bytes / reading.total_bytes)} of ${bytes(reading.total_bytes)}`}
          </span>
        </div>
      )}
    </section>
  );
}

/** What can be done with a model that was downloaded: verify it, or go on with the download. */
export function ModelSourceTools({ app, model }: { app: AppState; model: ModelEntry }) {
  const controller = useController();
  const { source } = model;
  if (source === null) return null;
  if (!source.complete) {
    const { repository, revision, variant } = source;
    return (
      <button
        type="button"
        className="quiet"
        disabled={app.download !== null}
        onClick={() => void controller.download({ model: repository, revision, variant })}
      >
        Go on<span className="hidden"> with the download of {model.name}</span>
      </button>
    );
  }
  return (
    <button
      type="button"
      className="quiet"
      disabled={app.verification !== null}
      title="Reads every byte and compares it with what was downloaded"
      onClick={() => void controller.verify(model.id)}
    >
      {app.verification?.model === model.id ? 'Verifying…' : 'Verify'}
      <span className="hidden"> {model.name}</span>
    </button>
  );
}
