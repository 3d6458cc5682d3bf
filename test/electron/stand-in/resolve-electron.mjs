import { appendFileSync } from 'node:fs';

// Hooks of Node's module loader: `electron` is the stand-in, and everything that is loaded can be listed in a file.
let standIn = '';
let log = '';

export function initialize(data) {
  ({ standIn, log } = data);
}

export function resolve(specifier, context, next) {
  return specifier === 'electron' ? { url: standIn, shortCircuit: true } : next(specifier, context);
}

export function load(url, context, next) {
  if (log !== '') appendFileSync(log, `${url}\n`);
  return next(url, context);
}
