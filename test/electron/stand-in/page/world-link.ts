/**
 * The bridge between a page's two worlds, as Electron's contextBridge makes it: functions and promises become stand-ins
 * of their own on the other side, files stay the files they are, everything else arrives as a copy. Both worlds hold one
 * end of the DOM, so an event on a port that only they know carries a call over and its answer back within one turn.
 */
type Passed =
  | { is: 'value'; value: unknown }
  | { is: 'function' | 'promise' | 'file'; id: number }
  | { is: 'error'; name: string; message: string }
  | { is: 'array'; entries: Passed[] }
  | { is: 'object'; entries: [string, Passed][] };

type Told =
  | { tell: 'call'; call: number; fn: number; params: Passed[] }
  | { tell: 'return'; call: number; ok: boolean; value: Passed }
  | { tell: 'settle'; promise: number; ok: boolean; value: Passed }
  | { tell: 'expose'; name: string; value: Passed };

/** Electron gives up on objects that are nested deeper. */
const DEEPEST = 1000;

export class WorldLink {
  readonly #port: EventTarget;
  readonly #out: string;
  readonly #dispatch = Function.prototype.call.bind(EventTarget.prototype.dispatchEvent) as (
    target: EventTarget,
    event: Event,
  ) => boolean;
  readonly #functions = new Map<number, (...params: unknown[]) => unknown>();
  readonly #promises = new Map<number, (ok: boolean, value: unknown) => void>();
  readonly #returns = new Map<number, { ok: boolean; value: unknown }>();
  #files: File[] = [];
  #next = 1;
  onExpose: (name: string, value: unknown) => void = () => undefined;

  /** `side` names the direction of the events, so that no end hears itself. */
  constructor(port: EventTarget, side: 'page' | 'preload') {
    this.#port = port;
    this.#out = side;
    const other = side === 'page' ? 'preload' : 'page';
    port.addEventListener(`${other}-files`, (event) => {
      this.#files = [...((event as DragEvent).dataTransfer?.files ?? [])];
    });
    port.addEventListener(other, (event) => this.#hear((event as CustomEvent<Told>).detail));
  }

  expose(name: string, value: unknown): void {
    this.#tell((files) => ({ tell: 'expose', name, value: this.#pass(value, files, 0) }));
  }

  #tell(make: (files: File[]) => Told): void {
    const files: File[] = [];
    const told = make(files);
    if (files.length > 0) {
      const dataTransfer = new DataTransfer();
      for (const file of files) dataTransfer.items.add(file);
      this.#dispatch(this.#port, new DragEvent(`${this.#out}-files`, { dataTransfer }));
    }
    this.#dispatch(this.#port, new CustomEvent(this.#out, { detail: told }));
  }

  #hear(told: Told): void {
    const files = this.#files;
    this.#files = [];
    const value = 'value' in told ? this.#take(told.value, files) : undefined;
    switch (told.tell) {
      case 'expose':
        this.onExpose(told.name, value);
        return;
      case 'return':
        this.#returns.set(told.call, { ok: told.ok, value });
        return;
      case 'settle':
        this.#promises.get(told.promise)?.(told.ok, value);
        this.#promises.delete(told.promise);
        return;
      case 'call': {
        const answer = this.#run(told.fn, told.params, files);
        this.#tell((files) => ({
          tell: 'return',
          call: told.call,
          ok: answer.ok,
          value: this.#passOrError(answer.value, files),
        }));
      }
    }
  }

  #run(fn: number, params: readonly Passed[], files: readonly File[]): { ok: boolean; value: unknown } {
    try {
      return { ok: true, value: this.#functions.get(fn)?.(...params.map((param) => this.#take(param, files))) };
    } catch (error) {
      return { ok: false, value: error };
    }
  }

  #call(fn: number, params: readonly unknown[]): unknown {
    const call = this.#next++;
    this.#tell((files) => ({ tell: 'call', call, fn, params: params.map((param) => this.#pass(param, files, 0)) }));
    const answer = this.#returns.get(call);
    this.#returns.delete(call);
    if (answer?.ok !== true) throw answer?.value ?? new Error('the other world did not answer');
    return answer.value;
  }

  #passOrError(value: unknown, files: File[]): Passed {
    try {
      return this.#pass(value, files, 0);
    } catch (error) {
      return this.#pass(error, [], 0);
    }
  }

  #pass(value: unknown, files: File[], depth: number): Passed {
    if (depth > DEEPEST) throw new Error('Electron contextBridge recursion depth exceeded.');
    if (typeof value === 'function') {
      const id = this.#next++;
      this.#functions.set(id, value as (...params: unknown[]) => unknown);
      return { is: 'function', id };
    }
    if (value instanceof Promise) {
      const promise = this.#next++;
      const settle = (ok: boolean) => (result: unknown) =>
        this.#tell((files) => ({ tell: 'settle', promise, ok, value: this.#passOrError(result, files) }));
      value.then(settle(true), settle(false));
      return { is: 'promise', id: promise };
    }
    if (value instanceof Error) return { is: 'error', name: value.name, message: value.message };
    if (value instanceof File) return { is: 'file', id: files.push(value) - 1 };
    if (value instanceof Blob || value instanceof Node) {
      throw new Error(`the stand-in carries no ${value.constructor.name} over the bridge`);
    }
    if (Array.isArray(value))
      return { is: 'array', entries: value.map((entry) => this.#pass(entry, files, depth + 1)) };
    if (isPlain(value)) {
      return {
        is: 'object',
        entries: Object.entries(value).map(([key, entry]) => [key, this.#pass(entry, files, depth + 1)]),
      };
    }
    try {
      return { is: 'value', value: structuredClone(value) };
    } catch {
      throw new Error('An object could not be cloned.');
    }
  }

  #take(passed: Passed, files: readonly File[]): unknown {
    switch (passed.is) {
      case 'value':
        return passed.value;
      case 'function':
        return (...params: unknown[]) => this.#call(passed.id, params);
      case 'promise':
        return new Promise((resolve, reject) => {
          this.#promises.set(passed.id, (ok, value) => (ok ? resolve(value) : reject(value)));
        });
      case 'error':
        return Object.assign(new Error(passed.message), { name: passed.name });
      case 'file':
        return files[passed.id];
      case 'array':
        return passed.entries.map((entry) => this.#take(entry, files));
      case 'object':
        return Object.fromEntries(passed.entries.map(([key, entry]) => [key, this.#take(entry, files)]));
    }
  }
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
