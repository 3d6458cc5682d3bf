import { arch, cpus, platform, release, totalmem } from 'node:os';
import type { Environment } from '../../shared/record.ts';
import { version } from '../../package.json';
import type { DeviceInUse } from './devices.ts';
import { RUNTIME_VERSION } from './session.ts';
import { TRANSFORMERS_VERSION } from './tokenizer.ts';

/** The machine and the versions that measured. Memory in bytes. */
export function environment(threads: number, { device, provider, note }: DeviceInUse): Environment {
  const processors = cpus();
  return {
    platform: `${platform()}-${release()}-${arch()}`,
    host: process.versions['electron'] === undefined ? 'node' : 'electron',
    node: process.versions.node,
    ...(process.versions['electron'] === undefined ? {} : { electron: process.versions['electron'] }),
    onnxruntime: RUNTIME_VERSION,
    transformers: TRANSFORMERS_VERSION,
    tokenscope: version,
    device,
    execution_provider: provider,
    ...(note === null ? {} : { device_note: note }),
    threads,
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cpu_count: processors.length,
    memory_bytes: totalmem(),
  };
}
