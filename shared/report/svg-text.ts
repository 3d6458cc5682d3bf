import { Fragment, type ReactNode, isValidElement } from 'react';

/**
 * The report's elements as SVG text. React's own writer would bring its development and its production build of more
 * than a megabyte along for what a page of static shapes does not need; these elements have no state, no hooks and no
 * events. A test holds this against react-dom/server.
 */
export function svgText(node: ReactNode): string {
  const parts: string[] = [];
  write(node, parts);
  return parts.join('');
}

function write(node: unknown, parts: string[]): void {
  if (node === null || node === undefined || typeof node === 'boolean') return;
  if (typeof node === 'string' || typeof node === 'number') {
    parts.push(escaped(String(node)));
    return;
  }
  if (Array.isArray(node)) {
    for (const child of node) write(child, parts);
    return;
  }
  if (!isValidElement<{ [name: string]: unknown }>(node))
    throw new TypeError('A report holds elements, text and figures');
  const { type, props } = node;
  if (type === Fragment) write(props['children'], parts);
  else if (typeof type === 'string') writeElement(type, props, parts);
  else if (isComponent(type)) write(type(props), parts);
  else throw new TypeError('A report holds function components only');
}

function isComponent(type: unknown): type is (props: object) => ReactNode {
  return typeof type === 'function';
}

function writeElement(name: string, props: { readonly [name: string]: unknown }, parts: string[]): void {
  parts.push('<', name);
  for (const [key, value] of Object.entries(props)) {
    if (key === 'children' || value === undefined || value === null || value === false) continue;
    if (typeof value !== 'string' && typeof value !== 'number') throw new TypeError(`Attribute ${key} is no text`);
    parts.push(' ', attribute(key), '="', escaped(String(value)), '"');
  }
  parts.push('>');
  write(props['children'], parts);
  parts.push('</', name, '>');
}

/** In SVG some names are written with a hyphen and others in camel case. */
const CAMEL = new Set(['viewBox', 'patternUnits', 'patternTransform', 'textLength', 'lengthAdjust']);

function attribute(name: string): string {
  if (CAMEL.has(name)) return name;
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

const ESCAPES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#x27;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
