import { mount } from '../../../../renderer/mount.tsx';
import { memoryHost } from '../memory-host.ts';
import { steadyStream } from '../replay.ts';

/** `?sample=/x.json&speed=4` replays four times as fast; `speed=0` at once; `stream=1000x30` streams tokens instead. */
const query = new URLSearchParams(location.search);
const speed = Number(query.get('speed') ?? '0');
const stream = query.get('stream')?.split('x').map(Number);
const root = document.getElementById('root');
const host = memoryHost({
  sampleUrl: query.get('sample') ?? '/live-run.json',
  speed: speed > 0 ? speed : null,
  ...(stream === undefined ? {} : { events: () => steadyStream(stream[0] ?? 1000, stream[1] ?? 1) }),
});
if (root !== null) mount(host, root);
