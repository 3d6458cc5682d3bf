import { expect, test } from 'vitest';
import { hubAccess, isAllowed } from '../../../../main/download/hub-endpoint.ts';

test('the public hub without a token is what is used when nothing is set', () => {
  const { endpoint, token } = hubAccess({ HF_ENDPOINT: ' ', HF_TOKEN: '' });
  expect([endpoint.href, token]).toEqual(['https://huggingface.co/', undefined]);
});

test('a mirror may have a path, and a hub on this machine needs no encryption', () => {
  expect(hubAccess({ HF_ENDPOINT: 'https://mirror.example/hf/?x#y' }).endpoint.href).toBe('https://mirror.example/hf');
  for (const local of ['http://127.0.0.1:8080', 'http://localhost', 'http://[::1]:1']) {
    expect(hubAccess({ HF_ENDPOINT: local }).endpoint.protocol).toBe('http:');
  }
});

test.each([
  ['http://mirror.example', /must be https/],
  ['http://127.0.0.1.evil.example', /must be https/],
  ['ftp://127.0.0.1', /must be https/],
  ['mirror', /not an address/],
  ['https://me:secret@mirror.example', /a name or a password/],
])('HF_ENDPOINT=%s is refused, and not repeated', (value, reason) => {
  expect(() => hubAccess({ HF_ENDPOINT: value })).toThrow(reason);
  expect(() => hubAccess({ HF_ENDPOINT: value })).not.toThrow(/secret/);
});

test('a hub elsewhere cannot send anybody to this machine without encryption', () => {
  const target = new URL('http://127.0.0.1:9000/admin');
  expect([isAllowed(target, false), isAllowed(target, true)]).toEqual([false, true]);
});
