import { describe, expect, test } from 'vitest';
import { discoverSignature } from '../../../../main/inference/signature.ts';
import type { ValueInfo } from '../../../../main/inference/value-info.ts';

const int64 = (name: string, ...shape: (number | string)[]): ValueInfo => ({ name, type: 'int64', shape });
const cacheIn = (layer: number, kind: string, type = 'float32', heads: number | string = 2): ValueInfo => ({
  name: `past_key_values.${layer}.${kind}`,
  type,
  shape: ['batch', heads, 'past', 64],
});
const cacheOut = (layer: number, kind: string, type = 'float32'): ValueInfo => ({
  name: `present.${layer}.${kind}`,
  type,
  shape: ['batch', 2, 'total', 64],
});
const ids = int64('input_ids', 'batch', 'sequence');
const mask = int64('attention_mask', 'batch', 'total');
const positions = int64('position_ids', 'batch', 'sequence');
const logits: ValueInfo = { name: 'logits', type: 'float32', shape: ['batch', 'sequence', 151_936] };
const past = [0, 1].flatMap((layer) => [cacheIn(layer, 'key'), cacheIn(layer, 'value')]);
const present = [0, 1].flatMap((layer) => [cacheOut(layer, 'key'), cacheOut(layer, 'value')]);

describe('a signature is found', () => {
  test('with everything', () => {
    expect(discoverSignature([ids, mask, positions, ...past], [logits, ...present], undefined)).toEqual({
      inputIds: 'input_ids',
      attentionMask: 'attention_mask',
      positionIds: 'position_ids',
      logits: 'logits',
      logitsType: 'float32',
      logitsControl: { kind: 'none' },
      cache: past.map(({ name }, index) => ({
        layer: Math.floor(index / 2),
        past: name,
        present: name.replace('past_key_values', 'present'),
        type: 'float32',
        heads: 2,
        size: 64,
      })),
      past: past.map((value) => value.name),
      present: present.map((value) => value.name),
      hasOtherOutputs: false,
      layers: 2,
      vocabularySize: 151_936,
    });
  });

  test('without position_ids, with float16 cache, with other outputs', () => {
    const half = [0, 1].flatMap((layer) => [cacheIn(layer, 'key', 'float16'), cacheIn(layer, 'value', 'float16')]);
    const other: ValueInfo = { name: 'hidden_states', type: 'float32', shape: ['batch', 'sequence', 896] };
    const halves = half.map(({ name }) => ({
      ...present[0]!,
      name: name.replace('past_key_values', 'present'),
      type: 'float16',
    }));
    const found = discoverSignature([ids, mask, ...half], [logits, ...halves, other], undefined);
    expect(found).toMatchObject({ positionIds: undefined, hasOtherOutputs: true });
    expect(found.cache.map(({ type }) => type)).toEqual(Array(4).fill('float16'));
  });

  test('with layers whose caches differ in heads and head size', () => {
    const wide: ValueInfo = { name: 'past_key_values.1.value', type: 'float32', shape: ['batch', 4, 'past', 128] };
    const found = discoverSignature([ids, mask, ...past.slice(0, 3), wide], [logits, ...present], undefined);
    expect(found.cache.map(({ heads, size }) => [heads, size])).toEqual([
      [2, 64],
      [2, 64],
      [2, 64],
      [4, 128],
    ]);
  });

  test.each<[string, ValueInfo['shape'], string]>([
    ['every position', ['batch', 'sequence', 32], 'none'],
    ['one position', ['batch', 1, 32], 'last'],
    ['nobody knows how many', null, 'none'],
  ])('with logits of %s', (_, shape, kind) => {
    const outputs = [{ ...logits, shape }, ...present];
    expect(discoverSignature([ids, mask, ...past], outputs, undefined).logitsControl).toEqual({ kind });
  });

  test('pairs past and present by layer, whatever their order', () => {
    const shuffled = present.toReversed();
    const found = discoverSignature([ids, mask, ...past], [...shuffled, logits], undefined);
    expect(found.present).toEqual(past.map((value) => value.name.replace('past_key_values', 'present')));
  });

  test('prefers our own control of the logits to the export’s', () => {
    const keep = int64('num_logits_to_keep');
    const start = int64('tokenscope.logits_start', 1);
    const outputs = [logits, ...present];
    expect(discoverSignature([ids, mask, keep, ...past], outputs, undefined).logitsControl).toEqual({
      kind: 'keep',
      input: 'num_logits_to_keep',
      dims: [],
    });
    const list = int64('num_logits_to_keep', 1);
    expect(discoverSignature([ids, list, ...past], outputs, undefined).logitsControl).toMatchObject({ dims: [1] });
    expect(discoverSignature([ids, mask, start, ...past], outputs, start.name).logitsControl).toEqual({
      kind: 'start',
      input: start.name,
    });
  });
});

describe('refused with the name of what is wrong', () => {
  const outputs = [logits, ...present];
  test.each<[string, ValueInfo[], ValueInfo[], RegExp]>([
    ['no input ids', [mask, ...past], outputs, /no input "input_ids", only "attention_mask"/],
    ['no logits', [ids, ...past], present, /no output "logits"/],
    ['no cache', [ids, mask], outputs, /no inputs "past_key_values\.N\.key"/],
    [
      'an input that nobody feeds',
      [ids, mask, ...past, int64('token_type_ids')],
      outputs,
      /nobody feeds the input "token_type_ids"/,
    ],
    [
      'a past without a present',
      [ids, mask, ...past],
      [logits, ...present.slice(1)],
      /"past_key_values\.0\.key" has no output/,
    ],
    [
      'heads that are not fixed',
      [ids, cacheIn(0, 'key', 'float32', 'heads')],
      outputs,
      /expected \[batch, heads, past, head size\]/,
    ],
    ['a cache of another type', [ids, cacheIn(0, 'key', 'bfloat16')], outputs, /is bfloat16/],
    [
      'a cache that comes back as another type',
      [ids, cacheIn(0, 'key', 'float16')],
      outputs,
      /"past_key_values\.0\.key" is float16, but "present\.0\.key" is float32/,
    ],
    [
      'a convolution beside the attention',
      [ids, mask, ...past, { name: 'past_conv.2', type: 'float32', shape: ['batch', 64, 3] }],
      outputs,
      /its layers keep "past_conv\.2", only caches of keys and values are run/,
    ],
    [
      'an encoder',
      [ids, { name: 'past_key_values.0.encoder.key', type: 'float32', shape: ['batch', 2, 'past', 64] }],
      outputs,
      /its layers keep "past_key_values\.0\.encoder\.key"/,
    ],
    ['ids of another type', [{ ...ids, type: 'int32' }, ...past], outputs, /the input "input_ids" is int32, int64 is/],
    [
      'positions in three dimensions',
      [ids, int64('position_ids', 3, 'batch', 'sequence'), ...past],
      outputs,
      /the input "position_ids" has 3 dimensions, 2 are fed/,
    ],
    ['logits of another type', [ids, ...past], [{ ...logits, type: 'bfloat16' }, ...present], /"logits" is bfloat16/],
    ['flat logits', [ids, ...past], [{ ...logits, shape: ['batch', 32] }, ...present], /"logits" is \[batch, 32\]/],
    [
      'many inputs',
      [ids, ...past, ...Array.from({ length: 9 }, (_, index) => int64(`extra_${index}`))],
      outputs,
      /nobody feeds the input "extra_0", "extra_1", "extra_2", "extra_3" and 5 more$/,
    ],
  ])('%s', (_, inputs, outs, reason) => {
    expect(() => discoverSignature(inputs, outs, undefined)).toThrow(reason);
  });
});
