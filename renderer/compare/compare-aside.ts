import { type Compared, compared } from './compared.ts';
import { type ComparedPair, withoutTheRest } from './compared-pair.ts';

/** A thread that has nothing to do: kept, so that the next comparison need not wait for its start. */
let spare: Worker | undefined;

/**
 * Compares beside the page's thread, which resampling many tokens would hold up for seconds. `done` is called once,
 * later, unless the result is called first: it ends the work.
 */
export function compareAside(pair: ComparedPair, done: (compared: Compared) => void): () => void {
  let end = (): void => undefined;
  try {
    const worker = spare ?? new Worker(new URL('./compare-worker.ts', import.meta.url), { type: 'module' });
    spare = undefined;
    const listening = new AbortController();
    const { signal } = listening;
    end = () => {
      listening.abort();
      worker.terminate();
    };
    const onMessage = ({ data }: MessageEvent<Compared>): void => {
      listening.abort();
      spare?.terminate();
      spare = worker;
      end = () => undefined;
      done(data);
    };
    worker.addEventListener('message', onMessage, { signal });
    const onError = (event: ErrorEvent): void => {
      event.preventDefault();
      end();
      end = compareHere(pair, done);
    };
    worker.addEventListener('error', onError, { signal });
    worker.postMessage(withoutTheRest(pair));
  } catch {
    end();
    end = compareHere(pair, done);
  }
  return () => end();
}

/** Where there are no threads to be had the page stands still meanwhile: better than no answer. */
function compareHere(pair: ComparedPair, done: (compared: Compared) => void): () => void {
  const timer = setTimeout(() => done(compared(pair)), 0);
  return () => clearTimeout(timer);
}
