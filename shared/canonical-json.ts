/**
 * The value as JSON that does not depend on the order of fields or on spaces (RFC 8785): members by the UTF-16 units of
 * their names, no white space, numbers and texts as JSON.stringify writes them. Its hash identifies a record.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? 'null';
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'number') ? value : value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  // Null for a prototype: a field named __proto__ is a field like others.
  const members: { [name: string]: unknown } = Object.create(null);
  for (const [name, member] of Object.entries(value).sort(([x], [y]) => (x < y ? -1 : 1)))
    members[name] = sorted(member);
  return members;
}
