import { describe, expect, test } from 'vitest';
import { caseCollision, isEscaping, shown, unsafePath } from '../../../../main/download/safe-path.ts';

describe('a path from elsewhere', () => {
  test.each([
    'config.json',
    'onnx/model_q4.onnx_data_1',
    'a/b/c.d',
    '.hidden',
    'console.txt',
    'com10',
    'nullable.json',
  ])('%s is taken', (path) => {
    expect(unsafePath(path)).toBeUndefined();
    expect(isEscaping(path)).toBe(false);
  });

  test.each([
    '',
    '..',
    '../x',
    'a/../../x',
    './x',
    'a//b',
    'a/',
    '/x',
    '\\x',
    'a\\b',
    'C:x',
    'c:/x',
    'a\0b',
    'a\nb',
    'a:stream',
    'a?',
    'x.',
    'x ',
    'x /y',
    'con',
    'NUL.json',
    'a/aux.txt',
    'COM1',
    'lpt9.onnx',
    'a'.repeat(500),
  ])('%j is refused', (path) => {
    expect(unsafePath(path)).toBeTypeOf('string');
  });

  test('leads out of the folder only where it does', () => {
    expect(['a/../x', '/x', 'a\\b', 'C:x', ''].every(isEscaping)).toBe(true);
    expect(['con', 'x.', 'a?'].some(isEscaping)).toBe(false);
  });
});

test('two names that differ by case, or by how an accent is written, are one on some systems', () => {
  expect(caseCollision(['a/Model.onnx', 'a/b', 'a/model.onnx'])).toEqual(['a/Model.onnx', 'a/model.onnx']);
  expect(caseCollision(['\u00e9', 'e\u0301'])).toEqual(['\u00e9', 'e\u0301']);
  expect(caseCollision(['a', 'b'])).toBeUndefined();
});

test('a text from elsewhere is shown in one line and cannot steer a terminal', () => {
  expect(shown('a\n\u001b[2Jb')).toBe('"a\\n\\u001b[2Jb"');
  expect(shown('x'.repeat(500)).length).toBeLessThan(130);
});
