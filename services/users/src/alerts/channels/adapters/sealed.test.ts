import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { sealer } from './sealed.ts';

test('default: with a key nothing readable is kept, and it opens for whose it is alone', () => {
  const { seal, open } = sealer(randomBytes(32));
  const sealed = seal('https://hooks.slack.com/services/secret', 'ch_1');
  expect(sealed).not.toContain('secret');
  expect(seal('https://hooks.slack.com/services/secret', 'ch_1')).not.toBe(sealed);
  expect(open(sealed, 'ch_1')).toBe('https://hooks.slack.com/services/secret');
  expect(() => open(sealed, 'ch_2')).toThrow();
  expect(() => open(`${sealed.slice(0, -4)}AAA=`, 'ch_1')).toThrow();
  expect(() => sealer(randomBytes(32)).open(sealed, 'ch_1')).toThrow();
});

test('error: what is not sealed is not taken', () => {
  expect(() => sealer(randomBytes(32)).open('plain:text', 'a')).toThrow('not sealed');
});
