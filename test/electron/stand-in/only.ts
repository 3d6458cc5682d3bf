/**
 * `parts`, and an error with the name of the rest: what the stand-in does not have must not be mistaken for something
 * that was called and did nothing.
 */
export function only<T extends object>(name: string, parts: T): T {
  return new Proxy(parts, {
    get(target, key) {
      if (!(key in target)) {
        // Looked for by the language and by tools that print a value.
        if (typeof key === 'symbol' || ['then', 'toJSON', '$$typeof', 'asymmetricMatch', 'nodeType'].includes(key))
          return undefined;
        throw new Error(`the stand-in has no ${name}.${key}`);
      }
      const value: unknown = Reflect.get(target, key, target);
      // Bound, because private fields belong to the object behind the proxy.
      return typeof value === 'function' && !isClass(value) ? (value.bind(target) as unknown) : value;
    },
    set(target, key, value) {
      if (!(key in target)) throw new Error(`the stand-in has no ${name}.${String(key)}`);
      return Reflect.set(target, key, value, target);
    },
  });
}

function isClass(value: object): boolean {
  return /^class\b/.test(Function.prototype.toString.call(value));
}
