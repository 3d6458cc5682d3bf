import type { HostEvent, ProfilerHost } from '../../../../shared/host.ts';
import { planSchema } from '../../../../shared/plan.ts';
import { STANDARD_SUITE } from '../../../../shared/standard-suite.ts';
import { mount } from '../../../../renderer/mount.tsx';
import { memoryHost } from '../memory-host.ts';
import { steadyStream } from '../replay.ts';

declare global {
  interface Window {
    /** Tells the window what the application would: a command of the native menu, for one. */
    tellWindow(event: HostEvent): void;
    /** What the window asked of the application so far, by name. */
    asked: string[];
  }
}

/**
 * `?sample=/x.json&speed=4` replays four times as fast; `speed=0` at once; `stream=1000x30` streams tokens instead. With
 * `running=1` a run is in its first step before the window comes, as for one that is loaded again.
 */
const query = new URLSearchParams(location.search);
const speed = Number(query.get('speed') ?? '0');
const stream = query.get('stream')?.split('x').map(Number);
const root = document.getElementById('root');
const host = memoryHost({
  sampleUrl: query.get('sample') ?? '/live-run.json',
  speed: speed > 0 ? speed : null,
  ...(stream === undefined ? {} : { events: () => steadyStream(stream[0] ?? 1000, stream[1] ?? 1) }),
});

if (query.get('running') === '1') {
  const begun = new Promise<void>((resolve) => {
    host.subscribe((event) => {
      if (event.type === 'run_event' && event.event.type === 'prompt') resolve();
    });
  });
  await host.startRun({ model: 'demo', plan: planSchema.parse(STANDARD_SUITE) });
  await begun;
}

const { subscribe } = host;
host.subscribe = (listener) => {
  window.tellWindow = listener;
  return subscribe(listener);
};
window.asked = [];
const watched = new Proxy(host, {
  get(target, name: keyof ProfilerHost) {
    window.asked.push(name);
    return target[name];
  },
});
if (root !== null) mount(watched, root);
