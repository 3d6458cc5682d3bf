import type { AppState } from '../../shared/host.ts';
import { keyLabel, commandNamed } from '../../shared/commands.ts';
import { useController } from '../state/context.ts';
import { Synthesis } from './Synthesis.tsx';

/** The start page: three ways in, and what was open before. */
export function Home({ app }: { app: AppState }) {
  const controller = useController();
  const demo = app.models.find(({ kind, problem }) => kind === 'demo' && problem === null);
  return (
    <main className="home">
      <h1>
        Was it the wait, <span className="or">or</span> the pace?
      </h1>
      <p className="lead">
        Tokenscope runs a language model on this machine, stamps every token, and draws where the time went: the{' '}
        <span className="wait-ink">wait for the first token</span> apart from the{' '}
        <span className="pace-ink">pace of the later ones</span>.
      </p>
      <div className="ways">
        <section className="card way">
          <h2>Run the standard suite</h2>
          <p>
            Six runs, a batch sweep and prefix reuse on the{' '}
            {demo === undefined ? 'model you choose' : 'demo model that ships with the app'}. Over in seconds.
          </p>
          <button type="button" className="primary" onClick={() => void controller.run()} disabled={app.run !== null}>
            Run suite <Key id="run" />
          </button>
          <button type="button" className="quiet" onClick={() => controller.openDialog({ kind: 'setup' })}>
            Choose the model and the plan <Key id="setup" />
          </button>
        </section>
        <section className="card way">
          <h2>Open a record</h2>
          <p>Choose a file that was saved before, or drop it anywhere in this window.</p>
          <button type="button" className="second" onClick={() => void controller.open({ by: 'dialog' })}>
            Open a record <Key id="open" />
          </button>
        </section>
        <section className="card way">
          <h2>Look at the sample</h2>
          <p>A record of Qwen2.5 0.5B on a laptop’s GPU, with two stalls that a mean would hide.</p>
          <button type="button" className="second" onClick={() => void controller.open({ by: 'sample' })}>
            Open the sample
          </button>
        </section>
      </div>
      <section className="home-part">
        <h2>Watch a real pace</h2>
        <p className="hint">
          The demo model is so small that a run is over at once. A synthesized model has the shape of a real one and
          random weights: its times are real, its words are not. It is written when you ask for it, into the app’s own
          folder.
        </p>
        <Synthesis app={app} />
      </section>
      {app.recent.length > 0 && (
        <section className="home-part">
          <h2>Recent</h2>
          <ul className="recent">
            {app.recent.map(({ id, name, place }) => (
              <li key={id}>
                <button type="button" className="quiet" onClick={() => void controller.open({ by: 'recent', id })}>
                  <bdi>{name}</bdi> <span className="muted">{place}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      <p className="home-setting">
        <label>
          <input
            type="checkbox"
            checked={app.settings.reopen_tabs}
            onChange={(event) => void controller.updateSettings({ reopen_tabs: event.target.checked })}
          />{' '}
          Open the last session’s records at the start
        </label>
      </p>
    </main>
  );
}

export function Key({ id }: { id: Parameters<typeof commandNamed>[0] }) {
  const [key] = commandNamed(id).keys;
  return key === undefined ? null : <kbd>{keyLabel(key, navigator.platform.startsWith('Mac'))}</kbd>;
}
