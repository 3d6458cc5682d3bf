import { TokenscopeError } from '../../shared/errors.ts';
import type { Device, DeviceChoice } from '../../shared/plan.ts';

/** onnxruntime's own names of what runs a graph on each device. */
const PROVIDERS: Readonly<Record<Device, string>> = {
  cpu: 'CPUExecutionProvider',
  webgpu: 'WebGpuExecutionProvider',
  cuda: 'CUDAExecutionProvider',
  coreml: 'CoreMLExecutionProvider',
  dml: 'DmlExecutionProvider',
};
/** What `auto` tries, in this order, before the processor. */
const PREFERRED: readonly Device[] = ['cuda', 'webgpu', 'dml', 'coreml'];
const LABELS: Readonly<Record<Device, string>> = {
  cpu: 'the processor',
  webgpu: 'WebGPU',
  cuda: 'CUDA',
  coreml: 'Core ML',
  dml: 'DirectML',
};

/** The device that a session runs on. */
export interface DeviceInUse {
  readonly device: Device;
  readonly provider: string;
  /** Why it is not one that was preferred, in words; null if it is. */
  readonly note: string | null;
}

export function providerOf(device: Device): string {
  return PROVIDERS[device];
}

/**
 * The devices to try for a choice, first to last. `supported` are the backends that this build of the runtime lists.
 * Throws an `argument` error that names them if the chosen one is not among them.
 */
export function devicesToTry(choice: DeviceChoice, supported: readonly string[]): Device[] {
  if (choice === 'auto') return [...PREFERRED.filter((device) => supported.includes(device)), 'cpu'];
  if (supported.includes(choice)) return [choice];
  const known = Object.keys(PROVIDERS).filter((device) => supported.includes(device));
  throw new TokenscopeError('argument', `${choice} is not a device of this runtime on ${process.platform}`, {
    path: 'device',
    remedy: `it has ${known.join(', ')}`,
  });
}

/**
 * Why a device cannot be used here, if a failure to load is the device's and not the graph's: the runtime's own words
 * are lines of C++ with paths. Undefined for any other failure.
 */
export function deviceFailure(device: Device, message: string): string | undefined {
  if (device === 'cpu') return undefined;
  if (/adapter/i.test(message)) return `${LABELS[device]} finds no graphics adapter that it can use`;
  if (/failed to load (shared )?library|backend not found|dlopen|LoadLibrary/i.test(message)) {
    return `${LABELS[device]}'s libraries are not installed with this runtime`;
  }
  if (/CUDA failure|CUDA driver|no CUDA-capable device|cudaGetDevice/i.test(message)) {
    return 'CUDA finds no device that it can use';
  }
  return undefined;
}

export function deviceRefusal(device: Device, reason: string): TokenscopeError {
  return new TokenscopeError('argument', `${device} cannot be used here: ${reason}`, {
    path: 'device',
    remedy: 'use cpu, or auto for the best that works',
  });
}

/**
 * What is known to be missing before the runtime is asked. WebGPU runs on Vulkan under Linux, and without its loader
 * the runtime writes warnings of its own to the terminal before it fails.
 */
export function missingLibrary(device: Device): string | undefined {
  if (device !== 'webgpu' || process.platform !== 'linux') return undefined;
  try {
    // It is no module of Node: whether it is there shows in which of two ways this fails.
    process.dlopen({ exports: {} }, 'libvulkan.so.1');
  } catch (error) {
    const text = error instanceof Error ? error.message : '';
    if (/cannot open shared object file/.test(text)) return 'WebGPU needs Vulkan, and libvulkan.so.1 is not installed';
  }
  return undefined;
}

/**
 * What a pass fetches. On WebGPU always everything: version 1.30 of the runtime looks up where an output lies by its
 * position among those that were fetched, so that naming some of them mixes them up.
 */
export function fetchesOn(device: Device, fetches: readonly string[] | undefined): readonly string[] | undefined {
  return device === 'webgpu' ? undefined : fetches;
}
