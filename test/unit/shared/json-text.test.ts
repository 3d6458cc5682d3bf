import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeUtf8 } from '../../../main/record-files.ts';
import { JSON_LIMITS, JSON_REASONS, type JsonLimits, readJson } from '../../../shared/json-text.ts';
import { problemLine } from '../../../shared/problem.ts';
import { utf8 } from '../../support/records.ts';

function read(text: string | Uint8Array, limits: Partial<JsonLimits> = {}): unknown {
  const bytes = typeof text === 'string' ? utf8(text) : text;
  const result = readJson(bytes, decodeUtf8, { ...JSON_LIMITS, ...limits });
  return result.ok ? { value: result.value } : problemLine(result.problem);
}

describe('against JSON.parse', () => {
  test('every JSON value is read as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(0, 2), (text, indent) => {
        const value: unknown = JSON.parse(text);
        // fast-check writes no duplicate keys, as its values come from objects.
        expect(read(JSON.stringify(value, null, indent))).toEqual({ value });
      }),
      { numRuns: 500 },
    );
  });

  test('what JSON.parse refuses is refused, and the other way round, for texts changed at random', () => {
    const alphabet = fc.constantFrom(...'[]{}:,"\\ue01.9-+eE tnf\n\u0000é😀'.split(''));
    const seed = '{"a":[1,-0.5e+3,"x\\u00e9\\n",true,null,{}],"b":{"c":[]},"é":false}';
    fc.assert(
      fc.property(fc.nat(seed.length), fc.nat(4), fc.string({ unit: alphabet, maxLength: 3 }), (at, cut, insert) => {
        const text = seed.slice(0, at) + insert + seed.slice(at + cut);
        const refused = typeof read(text) === 'string';
        let valid = true;
        try {
          JSON.parse(new TextDecoder().decode(utf8(text)));
        } catch {
          valid = false;
        }
        // Only duplicate keys are refused beyond the grammar.
        expect(refused && !String(read(text)).includes(JSON_REASONS.duplicateKey)).toBe(!valid);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('one clear line', () => {
  test.each([
    ['', 'The file is empty'],
    ['\uFEFF', 'The file is empty'],
    [' \n ', 'The file is empty: only white space'],
    [
      '{"a":1',
      'a: The text is not valid JSON: the file ends where "," or "}" is expected, inside the object that opens at line 1, column 1',
    ],
    [
      '{\n  "a": [1,\n',
      'a[1]: The text is not valid JSON: the file ends where a value is expected, inside the list that opens at line 2, column 8',
    ],
    ['{"a":"x', 'a: The text is not valid JSON: the file ends inside the string that opens at line 1, column 6'],
    ['{"a":1,}', 'The text is not valid JSON: line 1, column 8: found "}" where a key in quotation marks is expected'],
    ['[1 2]', '[0]: The text is not valid JSON: line 1, column 4: found "2" where "," or "]" is expected'],
    ['{"é" 1}', '["é"]: The text is not valid JSON: line 1, column 6: found "1" where ":" after the key is expected'],
    ['{"a":1} x', 'The text is not valid JSON: line 1, column 9: found "x" where the end of the file is expected'],
    [
      '[01]',
      '[0]: The text is not valid JSON: line 1, column 3: found "1" where a number without leading zeros or a second sign or point is expected',
    ],
    ['[1.]', '[0]: The text is not valid JSON: line 1, column 4: found "]" where a digit is expected'],
    ['[undefined]', '[0]: The text is not valid JSON: line 1, column 2: found "undefined" where a value is expected'],
    [
      '["a\nb"]',
      '[0]: The text is not valid JSON: line 1, column 4: line breaks and control characters in a string must be escaped',
    ],
    [
      '["\\x"]',
      '[0]: The text is not valid JSON: line 1, column 4: found "x" where one of " \\ / b f n r t u after "\\" is expected',
    ],
    ['{"ttft_ms":\n NaN}', 'ttft_ms: NaN and Infinity are not JSON numbers: found NaN at line 2, column 2'],
    ['[1,Infinity]', '[1]: NaN and Infinity are not JSON numbers: found Infinity at line 1, column 4'],
    ['{"a":[-Infinity]}', 'a[0]: NaN and Infinity are not JSON numbers: found -Infinity at line 1, column 7'],
    ['<html>', 'The text is not valid JSON: line 1, column 1: found "<" where a value is expected'],
  ])('%j', (text, line) => {
    expect(read(text)).toBe(line);
  });

  test('a byte order mark is no part of the value', () => {
    expect(read('\uFEFF{"a":1}')).toEqual({ value: { a: 1 } });
  });

  test.each([
    ['a lone continuation byte', [0x22, 0x80, 0x22], 'an invalid byte, 0x80, at line 1, column 2'],
    ['an overlong form', [0x22, 0xc0, 0xaf, 0x22], 'an invalid byte, 0xC0, at line 1, column 2'],
    ['half of a surrogate pair', [0x22, 0xed, 0xa0, 0x80, 0x22], 'an invalid byte, 0xED, at line 1, column 2'],
    ['a character cut short', [0x22, 0xf0, 0x9f, 0x98, 0x22], 'an invalid byte, 0xF0, at line 1, column 2'],
  ])('%s is no UTF-8', (_name, bytes, figures) => {
    expect(read(Uint8Array.from(bytes))).toBe(`The file is not UTF-8 text: ${figures}`);
  });

  test('UTF-16 is named', () => {
    expect(read(Uint8Array.from([0xff, 0xfe, 0x7b, 0]))).toBe(
      'The file is not UTF-8 text: it begins as UTF-16 text does',
    );
  });
});

describe('duplicate keys', () => {
  test.each([
    ['{"a":1,"a":2}', 'a: The same key appears twice in one object: "a" again at line 1, column 8'],
    [
      '{"runs":[{"x":{"a":1},"b":{},"x":2}]}',
      'runs[0].x: The same key appears twice in one object: "x" again at line 1, column 30',
    ],
    ['{"a":1,"\\u0061":2}', 'a: The same key appears twice in one object: "a" again at line 1, column 8'],
    ['{"\\u00e9":1,"é":2}', '["é"]: The same key appears twice in one object: "é" again at line 1, column 13'],
    [
      '{"__proto__":1,"__proto__":2}',
      '__proto__: The same key appears twice in one object: "__proto__" again at line 1, column 16',
    ],
    ['{"a":{"a":{"a":1}},"b":0,"a":1}', 'a: The same key appears twice in one object: "a" again at line 1, column 26'],
  ])('%s', (text, line) => {
    expect(read(text)).toBe(line);
  });

  test('the same key in other objects is none', () => {
    expect(read('[{"a":{"a":1}},{"a":{"b":{"a":1}}}]')).toEqual({ value: [{ a: { a: 1 } }, { a: { b: { a: 1 } } }] });
  });

  test('thousands of keys, each once, are fine, and one more of them is found', () => {
    const members = Array.from({ length: 5000 }, (_, index) => `"key ${index}":${index}`);
    expect(read(`{${members.join(',')}}`)).toHaveProperty('value');
    expect(read(`{${members.join(',')},"key 4321":0}`)).toContain('"key 4321" again');
  });
});

describe('bounds', () => {
  test('depth', () => {
    expect(read('[[[]]]', { depth: 2 })).toBe(
      '[0][0]: The JSON is nested too deeply: at most 2 levels, a further one opens at line 1, column 3',
    );
    expect(read('[[1]]', { depth: 2 })).toEqual({ value: [[1]] });
  });

  test('values, containers, keys', () => {
    expect(read('[1,2,3]', { values: 3 })).toBe(
      '[2]: The JSON holds more values than a record may: more than 3 values by line 1, column 6',
    );
    expect(read('[{},[],{}]', { containers: 3 })).toContain('more than 3 objects and lists');
    expect(read('{"a":1,"b":2,"c":3}', { distinctKeys: 2 })).toContain('more than 2 different keys');
    expect(read(`{"${'k'.repeat(11)}":1}`, { keyBytes: 10 })).toContain('longer than 10 bytes');
  });
});
