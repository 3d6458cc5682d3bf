import { Worker } from 'node:worker_threads';

const BYTES = 512 << 20;
const ROUNDS = 2;
/** The best counts: a floor is what the memory can give, not what it gave beside other work. */
const ATTEMPTS = 12;

/** Each thread compares two equal buffers: one native pass over both, which does nothing but read. */
const READER = `
const { parentPort } = require('node:worker_threads');
const left = Buffer.alloc(${BYTES / 2}, 1);
const right = Buffer.alloc(${BYTES / 2}, 1);
parentPort.on('message', () => {
  const started = performance.now();
  for (let round = 0; round < ${ROUNDS}; round++) left.compare(right);
  parentPort.postMessage(performance.now() - started);
});
parentPort.postMessage('ready');
`;

/**
 * Bytes per second that so many threads read from memory together: the floor under a step that reads every weight. A step
 * may come out a little below it, where its kernels prefetch better than memcmp does or a large cache holds some weights.
 */
export async function readBandwidth(threads: number): Promise<number> {
  const workers = Array.from({ length: threads }, () => new Worker(READER, { eval: true }));
  const answer = (worker: Worker) => new Promise<unknown>((resolve) => worker.once('message', resolve));
  await Promise.all(workers.map(answer));
  let best = 0;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const times = workers.map(answer);
    for (const worker of workers) worker.postMessage('go');
    const slowest = Math.max(...(await Promise.all(times)).map(Number));
    best = Math.max(best, (BYTES * ROUNDS * threads) / (slowest / 1000));
  }
  await Promise.all(workers.map((worker) => worker.terminate()));
  return best;
}
