import { expect, test } from 'vitest';
import { EXPORT_FORMATS, exportName, exportRequestSchema } from '../../../shared/export-formats.ts';

test('each format has a name of file of its own, also beside the record itself', () => {
  const names = EXPORT_FORMATS.map(({ id }) => exportName('suite-2026.json', id));
  expect(new Set(names).size).toBe(names.length);
  expect(names).toContain('suite-2026-tokens.csv');
  expect(names).toContain('suite-2026.trace.json');
  expect(exportName('Suite.JSON', 'png')).toBe('Suite.png');
  expect(exportName('suite.tokenscope', 'svg')).toBe('suite.svg');
  expect(exportName('no ending', 'record')).toBe('no ending.json');
});

test.each([
  ['an unknown format', { id: 'a', format: 'exe', scale: 2, theme: 'dark' }],
  ['a scale of nothing', { id: 'a', format: 'png', scale: 0, theme: 'dark' }],
  ['a scale beyond what the command line takes', { id: 'a', format: 'png', scale: 17, theme: 'dark' }],
  ['a scale that is no number', { id: 'a', format: 'png', scale: Number.NaN, theme: 'dark' }],
  ['a path', { id: 'a', format: 'png', scale: 2, theme: 'dark', path: '/etc/passwd' }],
])('%s is none of ours', (_, request) => {
  expect(exportRequestSchema.safeParse(request).success).toBe(false);
});
