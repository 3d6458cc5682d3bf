import { SingleBar } from 'cli-progress';
import type { RunEvent } from '../../shared/messages.ts';
import type { DownloadProgress } from '../../shared/model-download.ts';
import { stepName } from '../../shared/record-draft.ts';
import { bytes } from '../../shared/units.ts';
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

export interface DownloadProgressBar {
  update(progress: DownloadProgress): void;
  /** A line that stays, above the bar. */
  say(line: string): void;
  end(): void;
}

/** The progress of a download: all files in the bar, the one at hand in words. */
export function downloadProgress(io: Io): DownloadProgressBar {
  if (!io.watched) return { update: () => undefined, say: (line) => io.stderr(line), end: () => undefined };
  const bar = new SingleBar({
    format: '{bar} {percentage}% {words}',
    barsize: 24,
    clearOnComplete: true,
    hideCursor: true,
    stream: process.stderr,
    gracefulExit: false,
  });
  let running = false;
  const stop = () => {
    if (running) bar.stop();
    running = false;
  };
  return {
    update(progress) {
      if (!running) bar.start(Math.max(1, progress.total_bytes), 0, { words: '' });
      running = true;
      bar.setTotal(Math.max(1, progress.total_bytes));
      bar.update(progress.done_bytes, { words: downloadWords(progress) });
    },
    say(line) {
      stop();
      io.stderr(line);
    },
    end: stop,
  };
}

/** What a download is doing, in one line. */
export function downloadWords(progress: DownloadProgress): string {
  if (progress.waiting !== null) return progress.waiting;
  const { file, phase } = progress;
  if (file === null) return phase === 'resolving' ? 'asking the hub' : '';
  const words = `${phase} ${file.path}, ${bytes(file.done_bytes)} of ${bytes(file.total_bytes)}`;
  if (phase !== 'downloading' || progress.bytes_per_second === null) return words;
  const left = progress.seconds_left === null ? '' : `, ${Math.ceil(progress.seconds_left)} s left`;
  return `${words}, ${bytes(progress.bytes_per_second)}/s${left}`;
}
