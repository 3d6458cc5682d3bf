import { describe, expect, test } from 'vitest';
import { discoverSignature, type ValueInfo } from '../../../../main/inference/signature.ts';

const int64 = (name: string, ...shape: (number | string)[]): ValueInfo => ({ name, type: 'int64', shape });
const cacheIn = (layer: number, kind: string, type = 'float32', heads: number | string = 2): ValueInfo => ({
  name: `past_key_values.${layer}.${kind}`,
  type,
  shape: ['batch', heads, 'past', 64],
});
const cacheOut = (layer: number, kind: string): ValueInfo => ({
  name: `present.${layer}.${kind}`,
  type: 'float32',
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
      logitsControl: { kind: 'none' },
      past: past.map((value) => value.name),
      present: present.map((value) => value.name),
      hasOtherOutputs: false,
      cacheType: 'float32',
      layers: 2,
      kvHeads: 2,
      headDim: 64,
      vocabularySize: 151_936,
    });
  });

  test('without position_ids, with float16 cache, with other outputs', () => {
    const half = [0, 1].flatMap((layer) => [cacheIn(layer, 'key', 'float16'), cacheIn(layer, 'value', 'float16')]);
    const other: ValueInfo = { name: 'hidden_states', type: 'float32', shape: ['batch', 'sequence', 896] };
    expect(discoverSignature([ids, mask, ...half], [logits, ...present, other], undefined)).toMatchObject({
      positionIds: undefined,
      cacheType: 'float16',
      hasOtherOutputs: true,
    });
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
    });
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
      'layers that differ',
      [ids, cacheIn(0, 'key'), cacheIn(1, 'key', 'float32', 4)],
      outputs,
      /differ in type, heads or head size/,
    ],
  ])('%s', (_, inputs, outs, reason) => {
    expect(() => discoverSignature(inputs, outs, undefined)).toThrow(reason);
  });
});
