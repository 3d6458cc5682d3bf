import { SingleBar } from 'cli-progress';
import type { RunEvent } from '../../shared/messages.ts';
import { stepName } from '../../shared/record-draft.ts';
import type { Io } from './io.ts';

export interface RunProgress {
  stage(words: string): void;
  event(event: RunEvent): void;
  stopping(): void;
  end(): void;
}

/** A progress line on a terminal; silent where nobody watches. */
export function runProgress(io: Io): RunProgress {
  if (!io.watched) {
    return { stage: () => undefined, event: () => undefined, stopping: () => undefined, end: () => undefined };
  }
  const bar = new SingleBar({
    format: '{bar} {value}/{total} {words}',
    barsize: 24,
    clearOnComplete: true,
    hideCursor: true,
    stream: process.stderr,
    gracefulExit: false,
  });
  let running = true;
  let words = '';
  let tokens = 0;
  bar.start(1, 0, { words: 'starting' });
  const say = (text: string) => {
    words = text;
    if (running) bar.update({ words });
  };
  return {
    stage: say,
    event(event) {
      if (event.type === 'step') {
        tokens = 0;
        bar.setTotal(event.count);
        bar.update(event.index);
        say(stepName(event.step));
      } else if (event.type === 'tokens') {
        tokens += event.ids.length;
        if (running) bar.update({ words: `${words}, ${tokens} tokens` });
      }
    },
    stopping: () => say('stopping at the next token'),
    end() {
      if (!running) return;
      running = false;
      bar.stop();
    },
  };
}

/** Progress in bytes, for work on files. */
export function byteProgress(io: Io): { update(done: number, total: number): void; end(): void } {
  if (!io.watched) return { update: () => undefined, end: () => undefined };
  const bar = new SingleBar({
    format: '{bar} {percentage}% of {megabytes} MB',
    barsize: 24,
    clearOnComplete: true,
    hideCursor: true,
    stream: process.stderr,
    gracefulExit: false,
  });
  let state: 'new' | 'running' | 'ended' = 'new';
  return {
    update(done, total) {
      if (state === 'ended') return;
      if (state === 'new') bar.start(total, 0, { megabytes: Math.round(total / 1e6) });
      state = 'running';
      bar.update(done);
    },
    end() {
      if (state === 'running') bar.stop();
      state = 'ended';
    },
  };
}
