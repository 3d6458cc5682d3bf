import { availableParallelism, cpus } from 'node:os';
import { readdirSync, readFileSync } from 'node:fs';

/**
 * Threads for the runtime when the plan names none: the physical cores this process may use. Two threads on one core
 * share its arithmetic units, so counting both slows a matrix product down.
 */
export function defaultThreads(): number {
  return Math.max(1, Math.min(physicalCores() ?? cpus().length, availableParallelism()));
}

/** Linux lists which logical processors share a core; elsewhere every processor counts as a core. */
function physicalCores(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const root = '/sys/devices/system/cpu';
  try {
    const cores = new Set<string>();
    for (const entry of readdirSync(root)) {
      if (/^cpu\d+$/.test(entry))
        cores.add(readFileSync(`${root}/${entry}/topology/thread_siblings_list`, 'utf8').trim());
    }
    return cores.size > 0 ? cores.size : undefined;
  } catch {
    return undefined; // containers may hide the topology
  }
}
