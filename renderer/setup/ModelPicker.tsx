import type { AppState, ModelEntry } from '../../shared/host.ts';
import { bytes, shortCount } from '../../shared/units.ts';
import { Synthesis } from '../home/Synthesis.tsx';
import { useController } from '../state/context.ts';
import { Download } from './Download.tsx';
import { ModelPanel, ModelSourceTools } from './ModelPanel.tsx';

interface Props {
  app: AppState;
  chosen: string | null;
  onChoose: (id: string) => void;
}

const KINDS = { demo: 'ships with the app', folder: 'folder', synthetic: 'random weights' };

/** Which model is to run. */
export function ModelPicker({ app, chosen, onChoose }: Props) {
  const controller = useController();
  const add = async (): Promise<void> => {
    const added = await controller.addModel();
    if (added?.value !== undefined) onChoose(added.value.id);
  };
  const shown = app.models.find(({ id }) => id === chosen);
  return (
    <div className="model-picker">
      <fieldset className="models">
        <legend>Model</legend>
        {app.models.map((model) => (
          <div key={model.id} className={model.id === chosen ? 'model chosen' : 'model'}>
            <label>
              <input
                type="radio"
                name="model"
                checked={model.id === chosen}
                disabled={model.problem !== null}
                onChange={() => onChoose(model.id)}
              />
              <span>
                <strong>
                  <bdi>{model.name}</bdi>
                </strong>{' '}
                <span className="muted">{modelWords(model)}</span>
                {model.problem !== null && <span className="problem">✕ {model.problem}</span>}
              </span>
            </label>
            <ModelSourceTools app={app} model={model} />
            {model.kind !== 'demo' && (
              <button type="button" className="quiet" onClick={() => void controller.removeModel(model.id)}>
                Remove<span className="hidden"> {model.name} from the list</span>
              </button>
            )}
          </div>
        ))}
        {app.models.length === 0 && <p className="hint">No model yet: add a folder or synthesize one.</p>}
      </fieldset>
      {shown !== undefined && <ModelPanel app={app} model={shown} />}
      <button type="button" className="second" onClick={() => void add()}>
        Add a model folder
      </button>
      <p className="hint">
        Or drop the folder anywhere in the window. Removing takes a model off this list; its files stay.
      </p>
      <details className="synthesize" open={app.download !== null || undefined}>
        <summary>Download a model</summary>
        <Download app={app} onMade={onChoose} />
      </details>
      <details className="synthesize">
        <summary>Synthesize a model of a real shape</summary>
        <Synthesis app={app} onMade={onChoose} />
      </details>
    </div>
  );
}

function modelWords({ kind, info, disk, source, place }: ModelEntry): string {
  const facts = [
    KINDS[kind],
    source === null ? undefined : `${source.repository} at ${source.revision.slice(0, 12)}`,
    kind === 'folder' && source === null ? place : undefined,
    info?.parameters === undefined ? undefined : `${shortCount(info.parameters)} parameters`,
    (info?.weight_bytes ?? disk?.weight_bytes) === undefined
      ? undefined
      : bytes(info?.weight_bytes ?? disk?.weight_bytes),
    info?.dtype,
  ];
  return facts.filter((fact) => fact !== undefined && fact !== '').join(' · ');
}
