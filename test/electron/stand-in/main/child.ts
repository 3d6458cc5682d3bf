import { EventEmitter } from 'node:events';
import type { ParentPort } from 'electron';
import { only } from '../only.ts';

// Runs first in a child process and makes it look like a utility process of Electron from the inside.
const send = process.send?.bind(process);
const port = new EventEmitter();
const parentPort = Object.assign(port, {
  postMessage: (data: unknown) => void send?.({ data }),
}) satisfies Pick<ParentPort, 'postMessage'>;

// Messages wait for their first listener.
const waiting: unknown[] = [];
process.on('message', (message) => {
  if (port.listenerCount('message') > 0) port.emit('message', message);
  else waiting.push(message);
});
port.on('newListener', (name) => {
  if (name === 'message') setImmediate(() => waiting.splice(0).forEach((message) => port.emit('message', message)));
});
// A utility process does not outlive its app.
process.on('disconnect', () => process.exit(1));
delete process.send;
Object.assign(process, { parentPort: only('parentPort', parentPort), type: 'utility' });
